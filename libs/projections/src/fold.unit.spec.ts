import type { LedgerEvent } from '@counterfoil/contracts';
import type { ProjectionSet } from '@counterfoil/read-models';
import { leaseExtended, POISON_SECONDS, sessionOpened, tallySet, testLog } from '@counterfoil/testing';
import { Workspace } from './fold.js';
import { planBatch, type Step } from './plan.js';

const STREAM = 'session-w1/s1';
const STREAMS = 0;
const CALLS = 1;
const REMAINDERS = 3;
const set = tallySet();

const lease = (leaseSeconds: number) => leaseExtended({ leaseSeconds });
const deleted = lease(13);
const poison = lease(POISON_SECONDS);

function stepsOf(events: readonly LedgerEvent[], of: ProjectionSet = set): readonly Step[] {
  return planBatch(of, { events, unreadable: [] });
}

/** A workspace in which every document of the steps is absent. */
function absent(steps: readonly Step[], of: ProjectionSet = set): Workspace {
  const workspace = new Workspace(of);
  for (const [index] of of.projections.entries()) {
    const ids = steps.flatMap(({ touches }) => touches.filter(({ projection }) => projection === index).map(({ id }) => id));
    workspace.load(index, ids, new Map());
  }
  return workspace;
}

describe('folding a batch', () => {
  it('gives one write per document, at the position of the last event that changed it', () => {
    const steps = stepsOf(testLog().append(STREAM, sessionOpened(), lease(1), lease(2)));
    const workspace = absent(steps);
    expect(steps.map((step) => workspace.fold(step))).toEqual([null, null, null]);
    expect(workspace.writes(STREAMS)).toMatchObject([{ id: STREAM, expected: null, guard: 3n, doc: { count: 3 }, fields: { count: 3 } }]);
    expect(workspace.writes(CALLS)).toMatchObject([{ expected: null, guard: 3n, doc: { seconds: 3 } }]);
  });

  it('folds an event into each of several documents, told which, and once into one that is named twice', () => {
    const steps = stepsOf(testLog().append(STREAM, sessionOpened(), lease(6), lease(5)));
    const workspace = absent(steps);
    steps.forEach((step) => workspace.fold(step));
    expect(workspace.writes(REMAINDERS)).toMatchObject([
      { id: `${STREAM}%0`, guard: 2n, doc: { id: `${STREAM}%0`, count: 1 } },
      { id: `${STREAM}%1`, guard: 3n, doc: { id: `${STREAM}%1`, count: 1 } },
      { id: `${STREAM}%2`, guard: 3n, doc: { id: `${STREAM}%2`, count: 1 } },
    ]);
  });

  it('leaves out what one of several documents was already given, and gives it to the others', () => {
    const steps = stepsOf(testLog().append(STREAM, lease(5)));
    const workspace = absent(steps);
    const doc = { id: `${STREAM}%1`, count: 1, trail: 1, position: '1' };
    workspace.load(REMAINDERS, [doc.id], new Map([[doc.id, { id: doc.id, doc, guard: 1n }]]));
    steps.forEach((step) => workspace.fold(step));
    expect(workspace.writes(REMAINDERS)).toMatchObject([{ id: `${STREAM}%2`, expected: null, doc: { count: 1 } }]);
  });

  it('applies an event to none of several documents when one can not take it', () => {
    const picky = {
      ...set.projections[REMAINDERS]!,
      evolve(doc: unknown, event: LedgerEvent, id: string) {
        if (id.endsWith('%2')) throw new RangeError('FAKE-secret');
        return set.projections[REMAINDERS]!.evolve(doc, event, id);
      },
    };
    const one = { ...set, projections: [picky] };
    const steps = stepsOf(testLog().append(STREAM, lease(5), lease(6)), one);
    const workspace = absent(steps, one);
    expect(steps.map((step) => workspace.fold(step)?.reason ?? null)).toEqual(['RangeError', null]);
    expect(workspace.writes(0)).toMatchObject([{ id: `${STREAM}%0`, guard: 2n, doc: { count: 1 } }]);
  });

  it('leaves out what a document was already given', () => {
    const steps = stepsOf(testLog().append(STREAM, sessionOpened(), lease(1), lease(2)));
    const workspace = absent(steps);
    const doc = { stream: STREAM, count: 2, trail: 1, position: '2' };
    workspace.load(STREAMS, [STREAM], new Map([[STREAM, { id: STREAM, doc, guard: 2n }]]));
    steps.forEach((step) => workspace.fold(step));
    expect(workspace.writes(STREAMS)).toMatchObject([{ expected: 2n, guard: 3n, doc: { count: 3 } }]);
  });

  it('folds all parts of one stored event, which share a position', () => {
    const steps = stepsOf(testLog().appendParts(STREAM, [sessionOpened(), lease(1), lease(2)]));
    expect(steps).toHaveLength(1);
    const workspace = absent(steps);
    steps.forEach((step) => workspace.fold(step));
    expect(workspace.writes(STREAMS)).toMatchObject([{ guard: 1n, doc: { count: 3 } }]);
  });

  it('applies a poison event to none of its documents, and the events around it', () => {
    const steps = stepsOf(testLog().append(STREAM, sessionOpened(), lease(1), poison, lease(2)));
    const workspace = absent(steps);
    const found = steps.map((step) => workspace.fold(step));
    expect(found[2]).toEqual({
      stream: STREAM,
      position: 3n,
      type: 'LeaseExtended',
      reason: 'poisoned',
      projection: 'calls',
      detail: null,
    });
    expect(workspace.writes(STREAMS)).toMatchObject([{ guard: 4n, doc: { count: 3 } }]);
  });

  it('applies no part of an event of which one part is poison', () => {
    const log = testLog();
    const steps = stepsOf([...log.append(STREAM, sessionOpened()), ...log.appendParts(STREAM, [lease(1), poison])]);
    const workspace = absent(steps);
    expect(steps.map((step) => workspace.fold(step)?.reason ?? null)).toEqual([null, 'poisoned']);
    expect(workspace.writes(STREAMS)).toMatchObject([{ guard: 1n, doc: { count: 1 } }]);
    expect(workspace.writes(CALLS)).toEqual([]);
  });

  it('leaves a tombstone of what began and ended within the batch: an older writer must not bring it back', () => {
    const steps = stepsOf(testLog().append(STREAM, sessionOpened(), lease(1), deleted));
    const workspace = absent(steps);
    steps.forEach((step) => workspace.fold(step));
    expect(workspace.writes(CALLS)).toMatchObject([{ expected: null, guard: 3n, doc: null, fields: {} }]);
  });

  it('writes nothing of a document that never was, or that no event changed', () => {
    const idle = { ...set, projections: set.projections.map((projection) => ({ ...projection, evolve: (doc: unknown) => doc })) };
    const steps = stepsOf(testLog().append(STREAM, sessionOpened(), lease(1)), idle);
    const workspace = absent(steps, idle);
    workspace.load(STREAMS, [STREAM], new Map([[STREAM, { id: STREAM, doc: { count: 1 }, guard: 0n }]]));
    steps.forEach((step) => workspace.fold(step));
    expect(idle.projections.flatMap((_, index) => workspace.writes(index))).toEqual([]);
  });

  it('goes on from what was written, and anew from what others wrote', () => {
    const steps = stepsOf(testLog().append(STREAM, sessionOpened(), lease(1)));
    const workspace = absent(steps);
    steps.forEach((step) => workspace.fold(step));
    workspace.written(STREAMS, workspace.writes(STREAMS));
    expect(workspace.writes(STREAMS)).toEqual([]);
    const [call] = workspace.writes(CALLS);
    workspace.load(CALLS, [call!.id], new Map([[call!.id, { id: call!.id, doc: { receiptId: 'r', seconds: 9 }, guard: 2n }]]));
    steps.forEach((step) => workspace.fold(step));
    expect(workspace.writes(CALLS)).toEqual([]);
  });
});

describe('planning a batch', () => {
  it('puts unreadable events in their places', () => {
    const events = testLog().append(STREAM, sessionOpened(), lease(1), lease(2));
    const unreadable = [{ position: 2n, stream: STREAM, revision: 1n, type: 'LeaseExtended', reason: 'the version is newer' }];
    const steps = planBatch(set, { events: events.filter(({ position }) => position !== 2n), unreadable });
    expect(steps.map(({ position, poison: found }) => [position, found?.reason ?? null])).toEqual([
      [1n, null],
      [2n, 'unreadable'],
      [3n, null],
    ]);
    expect(steps[1]?.poison).toMatchObject({ projection: null, detail: 'the version is newer' });
  });

  it('leaves out events of a type that this version does not know, and those that touch nothing', () => {
    const [first, second] = testLog().append(STREAM, sessionOpened(), lease(1));
    const unknown = { ...first!, type: 'InventedLater' };
    const deaf = { ...set, projections: set.projections.map((projection) => ({ ...projection, idOf: () => null })) };
    expect(planBatch(set, { events: [unknown, second!], unreadable: [] }).map(({ position }) => position)).toEqual([2n]);
    expect(planBatch(deaf, { events: [second!], unreadable: [] })).toEqual([]);
  });

  it('takes an event that names no document, or an impossible one among good ones, for what it is', () => {
    const events = testLog().append(STREAM, lease(1));
    const naming = (ids: readonly string[]): ProjectionSet => ({
      ...set,
      projections: [{ ...set.projections[REMAINDERS]!, idOf: () => ids }],
    });
    expect(planBatch(naming([]), { events, unreadable: [] })).toEqual([]);
    expect(planBatch(naming(['fine', '']), { events, unreadable: [] })).toMatchObject([
      { touches: [], poison: { projection: 'remainders', reason: 'invalid_id' } },
    ]);
  });

  it('plans a hundred thousand events at once without going deep', () => {
    const [event] = testLog().append(STREAM, lease(1));
    const events = Array.from({ length: 100_000 }, (_, n) => ({ ...event!, position: BigInt(n + 1) }));
    expect(planBatch(set, { events, unreadable: [] })).toHaveLength(100_000);
  });
});
