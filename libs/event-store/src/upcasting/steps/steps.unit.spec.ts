import { readFileSync, readdirSync } from 'node:fs';
import { CURRENT_VERSIONS, EVENTS, type EventData, type EventType } from '@counterfoil/contracts';
import { UpcastingRegistry } from '../registry.js';
import type { UpcastEvent, UpcastSource, UpcastStep } from '../upcast-step.js';
import { LEDGER_STEPS } from './index.js';
import { SESSION_OPENED_V1, type SessionOpenedV2 } from './session-opened-v1.js';
import { TOOL_CALL_REQUESTED_V1, type ToolCallRequestedV2 } from './tool-call-requested-v1.js';
import { TOOL_DISPATCHED_V1, type ToolDispatchedV2 } from './tool-dispatched-v1.js';

const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: LEDGER_STEPS });
const SOURCE = { stream: 'session-default/s1', id: 'x', metadata: {} } as unknown as UpcastSource;

const STEPS: Readonly<Record<string, UpcastStep>> = {
  'session-opened': SESSION_OPENED_V1,
  'tool-call-requested': TOOL_CALL_REQUESTED_V1,
  'tool-dispatched': TOOL_DISPATCHED_V1,
};

const golden = (file: string): UpcastEvent => JSON.parse(readFileSync(new URL(`./golden/${file}`, import.meta.url), 'utf8')) as UpcastEvent;
const names = readdirSync(new URL('./golden/', import.meta.url))
  .filter((file) => file.endsWith('.v1.json'))
  .map((file) => file.slice(0, -'.v1.json'.length));

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

function stepOf(name: string): UpcastStep {
  const step = Object.entries(STEPS).find(([prefix]) => name.startsWith(prefix))?.[1];
  if (step === undefined) throw new Error(`no step is named like ${name}`);
  return step;
}

describe("the ledger's own steps", () => {
  it('each have golden pairs', () => {
    expect(new Set(names.map(stepOf))).toEqual(new Set(LEDGER_STEPS));
  });

  it.each(names)('%s: one version to the next, of an event that stays as it is', (name) => {
    const event = deepFreeze(golden(`${name}.v1.json`));
    const step = stepOf(name);
    expect(step.up(event, SOURCE)).toEqual([golden(`${name}.v2.json`)]);
    expect(step.up(event, SOURCE)).toEqual(step.up(event, SOURCE));
  });

  it.each(names)('%s: leads on to an event that the schema of today takes, and keeps what that does not know', (name) => {
    const before = golden(`${name}.v1.json`);
    const [after, ...more] = registry.upcast(before, SOURCE);
    expect(more).toEqual([]);
    expect(after?.version).toBe(CURRENT_VERSIONS[before.type as EventType]);
    expect(after?.data).toMatchObject(EVENTS[before.type as EventType].parse(after?.data));
    expect(after?.data).toMatchObject(before.data as object);
  });

  it('start from every version in which an event of this ledger was ever written', () => {
    for (const [type, current] of Object.entries(CURRENT_VERSIONS)) {
      const starts = LEDGER_STEPS.filter((step) => step.type === type).map(({ from }) => from);
      expect([type, starts]).toEqual([type, Array.from({ length: current - 1 }, (_, n) => n + 1)]);
    }
  });

  it('lead to what is written today: this stops compiling when another version needs another step', () => {
    const opened = (data: SessionOpenedV2): EventData<'SessionOpened'> => data;
    const dispatched = (data: ToolDispatchedV2): Omit<EventData<'ToolDispatched'>, 'secrets'> => data;
    const requested = (
      data: ToolCallRequestedV2,
    ): Pick<EventData<'ToolCallRequested'>, 'tool' | 'expectation' | 'duplicates' | 'policyVersion'> => data;
    expect([opened, dispatched, requested].map(({ length }) => length)).toEqual([1, 1, 1]);
  });
});
