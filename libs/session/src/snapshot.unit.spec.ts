import type { SessionEvent } from '@counterfoil/contracts';
import {
  decisionContext,
  dispatchToolCall,
  freeJson,
  freeText,
  givenOpened,
  played,
  reportResult,
  requestToolCall,
  snapshotOf,
  stateAfter,
  timeAfter,
  type GivenSession,
} from '@counterfoil/testing';
import type { SessionCommand } from './commands.js';
import { decide } from './decide.js';

type Member = Record<string, unknown>;

/** Overwrites every member of everything that can be reached from a value. */
function scribble(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value as Member)) {
    scribble(member);
    (value as Member)[name] = 'changed by the caller';
  }
}

/** Decides on a command that the caller changes afterwards, in every place. */
function decideThenScribble(given: GivenSession, command: SessionCommand): { before: string; after: string; events: SessionEvent[] } {
  const state = stateAfter(given.events);
  const events = decide(state, command, decisionContext({ now: Date.parse(timeAfter(0)) }));
  const before = snapshotOf(events);
  scribble(command);
  return { before, after: snapshotOf(events), events };
}

describe('what is recorded is a snapshot', () => {
  it.each<[string, GivenSession, SessionCommand]>([
    [
      'a request',
      givenOpened(),
      requestToolCall({ args: '{"list":[1,{"deep":[2]}]}', tool: { source: 'a', name: 'b', declared: '{"c":[1]}' } }),
    ],
    ['a malformed request', givenOpened(), requestToolCall({ args: '{"a":1,"a":2}' })],
    [
      'a dispatch',
      played(givenOpened(), requestToolCall()),
      dispatchToolCall({ before: { exists: true, sha256: 'ab'.repeat(32), bytes: 3 } }),
    ],
    [
      'a result',
      played(givenOpened(), requestToolCall(), dispatchToolCall()),
      reportResult({
        outcome: { status: 'failed', exitCode: 1, error: { code: 'E1', message: freeText('no') } },
        output: freeJson('[1,{"a":[2]}]'),
        observation: { method: 'stat', observer: 'runtime', exists: true, sha256: 'cd'.repeat(32), bytes: 9 },
      }),
    ],
  ])('of %s: nothing that the caller still holds can change it', (_, given, command) => {
    const { before, after, events } = decideThenScribble(given, command);
    expect(events.length).toBeGreaterThan(0);
    expect(after).toBe(before);
    expect(after).not.toContain('changed by the caller');
  });
});
