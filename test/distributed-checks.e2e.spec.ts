import type { Acknowledged } from './distributed/callers.js';
import { checkChains } from './distributed/chains.js';
import { checkStreams } from './distributed/check-streams.js';
import type { RawEvent } from './distributed/event-store.child.js';
import { foldSession } from './distributed/fold.js';
import { countUnanswered } from './distributed/unanswered.js';
import { guardedOf, type Guarded } from './distributed/writes.js';

/** The checks of `npm run distributed` are worth what they find: each is shown what it must not let pass. */
describe('the record of writes', () => {
  const write = (expected: bigint | null, next: bigint, more: Partial<Guarded> = {}): Guarded => ({
    kind: 'document',
    key: 'd_receipts a',
    by: 'projector-1',
    expected,
    next,
    fate: 'applied',
    value: null,
    ...more,
  });
  const faultsOf = (...writes: readonly Guarded[]) => checkChains(writes).faults;

  it('is whole when each write meets what the one before left, in whatever order it was seen', () => {
    const refused = write(1n, 9n, { fate: 'refused' });
    const { faults, ends, figures } = checkChains([write(3n, 7n), refused, write(null, 1n), write(1n, 3n)]);
    expect([faults, ends.get('d_receipts a')]).toEqual([[], 7n]);
    expect(figures).toMatchObject({ documents: 1, documentWrites: 3, refusedDocumentWrites: 1 });
  });

  it.each<[string, readonly Guarded[], RegExp]>([
    ['a guard that went back', [write(null, 5n), write(5n, 3n)], /went back from 5 to 3/],
    ['a guard that stood still', [write(null, 5n), write(5n, 5n)], /went back from 5 to 5/],
    ['two writes on one guard', [write(null, 1n), write(1n, 2n), write(1n, 3n)], /two writes met 1/],
    ['a document that was made twice', [write(null, 1n), write(null, 1n)], /two writes met null/],
    ['a write on a guard that nobody left', [write(null, 1n), write(4n, 5n)], /1 follow on one another/],
    ['an upsert that made what it was to change', [write(null, 1n), write(1n, 2n, { fate: 'made' })], /is made/],
    ['a write of which nothing is known', [write(null, 1n), write(1n, 2n, { fate: 'unknown' })], /is unknown/],
  ])('%s is found', (_what, writes, found) => {
    expect(faultsOf(...writes)).toEqual(expect.arrayContaining([expect.stringMatching(found)]));
  });

  it('a checkpoint whose position went back is found, though its revision went on; so are fences and epochs', () => {
    const control = (key: string, expected: bigint | null, value: object): Guarded =>
      write(expected, (expected ?? 0n) + 1n, { kind: 'control', key, value: { ...value } });
    const [checkpoint, slot] = ['control checkpoint/main/v1/g1/p0', 'control slot/main/v1/0'];
    expect(faultsOf(control(checkpoint, null, { position: '10', fence: 1 }), control(checkpoint, 1n, { position: '9', fence: 2 }))).toEqual(
      [expect.stringMatching(/took position back from 10 to 9/)],
    );
    expect(faultsOf(control(checkpoint, null, { position: '1', fence: 2 }), control(checkpoint, 1n, { position: '9', fence: 1 }))).toEqual([
      expect.stringMatching(/took fence back/),
    ]);
    expect(faultsOf(control(slot, null, { epoch: 2 }), control(slot, 1n, { epoch: 1 }))).toEqual([
      expect.stringMatching(/took epoch back/),
    ]);
  });

  it('a write without a guard is found', () => {
    const unguarded = guardedOf(
      { command: 'update', collection: 'd_receipts', filter: { _id: 'a' }, change: { $set: { doc: '' } }, fate: 'applied' },
      'x',
    );
    expect(unguarded).toEqual({ key: 'd_receipts a', command: 'update' });
    expect(checkChains(unguarded === null ? [] : [unguarded]).faults).toHaveLength(1);
  });
});

describe('the streams', () => {
  const event = (revision: number, type: string, data: object = {}): RawEvent => ({
    revision: BigInt(revision),
    position: BigInt(revision),
    id: `id-${String(revision)}`,
    type,
    data: JSON.stringify(data),
  });
  const requested = event(1, 'ToolCallRequested', { receiptId: 'r', callId: 'c', operationId: 'o' });
  const dispatched = event(2, 'ToolDispatched', { receiptId: 'r', attempt: 'a' });
  const executed = event(3, 'ToolExecuted', { receiptId: 'r', attempt: 'a', outcome: { status: 'failed' }, result: { digest: 'd' } });
  const whole = [event(0, 'SessionOpened'), requested, dispatched, executed];

  it('are folded by hand', () => {
    const { calls, faults } = foldSession('s', whole);
    expect(faults).toEqual([]);
    expect(calls.get('r')).toEqual({
      sessionId: 's',
      receiptId: 'r',
      callId: 'c',
      operationId: 'o',
      status: 'failed',
      attempt: 'a',
      outcome: { status: 'failed' },
      resultDigest: 'd',
      revision: '3',
    });
  });

  it.each<[string, readonly RawEvent[]]>([
    ['a gap', [whole[0]!, requested, executed]],
    ['an event twice', [...whole, { ...executed, revision: 4n }]],
    ['a second dispatch', [whole[0]!, requested, dispatched, event(3, 'ToolDispatched', { receiptId: 'r', attempt: 'b' })]],
    ['a result of another attempt', [whole[0]!, requested, dispatched, { ...executed, data: executed.data.replace('"a"', '"b"') }]],
  ])('%s is found', (_what, events) => {
    expect(foldSession('s', events).faults).not.toEqual([]);
  });

  const acknowledged = (type: Acknowledged['type'], revision: bigint, attempt: string | null = null): Acknowledged => ({
    sessionId: 's',
    type,
    receiptId: type === 'SessionOpened' ? null : 'r',
    attempt,
    revision,
  });
  const all = [
    acknowledged('SessionOpened', 0n),
    acknowledged('ToolCallRequested', 1n),
    acknowledged('ToolDispatched', 2n, 'a'),
    acknowledged('ToolExecuted', 3n, 'a'),
  ];
  const checked = async (events: readonly RawEvent[], commands: readonly Acknowledged[]) => {
    const eventStore = { readStream: () => Promise.resolve(events) };
    return (await checkStreams({ eventStore } as unknown as Parameters<typeof checkStreams>[0], commands)).faults;
  };

  it('hold every acknowledged command once', async () => {
    expect(await checked(whole, all)).toEqual([]);
    expect(await checked(whole.slice(0, 3), all)).toContainEqual(
      expect.stringMatching(/ToolExecuted r a was acknowledged and is there 0 times/),
    );
    expect(await checked([...whole, { ...executed, id: 'other', revision: 4n }], all)).toContainEqual(
      expect.stringMatching(/is there 2 times/),
    );
    expect(await checked(whole, all.slice(1))).toContainEqual(expect.stringMatching(/4 events for 3 acknowledged commands/));
    expect(await checked(whole, [...all.slice(0, 3), acknowledged('ToolExecuted', 2n, 'a')])).toContainEqual(
      expect.stringMatching(/stands at 3/),
    );
  });
});

it('appends without an answer are told from what was asked again', () => {
  const append = (
    id: string,
    outcome: 'stored' | 'repeated' | 'wrong_version' | null,
    fault: 'drop_before' | 'drop_after' | 'drop_late' | null = null,
  ) => ({
    stream: 's',
    ids: [id],
    outcome,
    fault,
  });
  const record = [
    append('answered', 'stored'),
    append('written', 'stored', 'drop_after'),
    append('not written', null, 'drop_before'),
    append('late', 'repeated', 'drop_late'),
    append('conflict', 'wrong_version'),
    append('written', 'repeated'),
    append('not written', 'stored'),
    append('late', 'stored'),
    append('forgotten', null, 'drop_before'),
  ];
  expect(countUnanswered(record)).toEqual({ appends: 6, conflicts: 1, written: 1, notWritten: 2, landedLate: 1, neverAskedAgain: 1 });
});
