import { readFileSync } from 'node:fs';
import { from0aTo0b } from './0a-to-0b.js';
import { from0bTo0c } from './0b-to-0c.js';
import { from0cTo1 } from './0c-to-1.js';
import { from1To1b } from './1-to-1b.js';
import { from1bTo2 } from './1b-to-2.js';
import { from2To3 } from './2-to-3.js';
import { toGeneration3 } from './chain.js';
import type { OldCall, StepContext } from './shapes.js';

interface Golden<T> {
  readonly in: T;
  readonly context: StepContext;
  readonly out: unknown;
}

const golden = <T>(name: string): Golden<T> =>
  JSON.parse(readFileSync(new URL(`./golden/${name}.json`, import.meta.url), 'utf8')) as Golden<T>;
const CONTEXT: StepContext = { recordKey: 'cRecordKey', opaqueArguments: false };

/** A step over its golden pair; what it is given stays as it is. */
function check(name: string, step: (call: never, context: StepContext) => unknown): void {
  const pair = golden<unknown>(name);
  const before = structuredClone(pair.in);
  // The spec for each step names the pair that is of its generation.
  expect(step(pair.in as never, pair.context)).toEqual(pair.out);
  expect(pair.in).toEqual(before);
}

describe('steps from generation to generation: golden pairs', () => {
  it('0a to 0b', () => {
    check('0a-to-0b', from0aTo0b);
  });
  it('0b to 0c', () => {
    check('0b-to-0c', from0bTo0c);
  });
  it('0c to 1', () => {
    check('0c-to-1', from0cTo1);
  });
  it('1 to 1b', () => {
    check('1-to-1b', from1To1b);
  });
  it('1b to 2', () => {
    check('1b-to-2', from1bTo2);
  });
  it.each(['2-to-3', '2-to-3-of-an-object', '2-to-3-of-an-unknown-tool'])('%s', (name) => {
    check(name, from2To3);
  });
});

describe('the chain', () => {
  const STARTS = ['0a-to-0b', '0b-to-0c', '0c-to-1', '1-to-1b', '1b-to-2', '2-to-3'];

  it.each(STARTS)('leads on from %s to generation 3, and loses no fact on the way', (name) => {
    const { in: call } = golden<OldCall>(name);
    const end = toGeneration3(call, CONTEXT);
    expect(end).toMatchObject({ generation: '3', action: call.action, success: call.success });
    expect(end.result?.value).toEqual(call.result);
  });

  it('from the oldest on equals what each later start gives for the same facts', () => {
    const { in: oldest } = golden<Parameters<typeof from0aTo0b>[0]>('0a-to-0b');
    const stepwise = from1bTo2(from1To1b(from0cTo1(from0bTo0c(from0aTo0b(oldest)))));
    expect(toGeneration3(oldest, CONTEXT)).toEqual(from2To3(stepwise, CONTEXT));
  });

  it('gives nothing that a generation did not record', () => {
    const { in: oldest } = golden<OldCall>('0a-to-0b');
    expect(toGeneration3(oldest, CONTEXT)).toMatchObject({
      callId: 'synthetic:cRecordKey',
      callIdSource: 'synthetic',
      authorized: null,
      operationId: null,
      exitCode: null,
      startedAt: null,
      planId: null,
    });
  });
});
