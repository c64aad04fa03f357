import type { LedgerEvent } from '@counterfoil/contracts';
import type { Projection, ProjectionSet } from '@counterfoil/read-models';

/** Seconds of a lease that no projection can take. */
export const POISON_SECONDS = 666_666;
/** Seconds of a lease that deletes its call's document; the next one makes it anew. */
export const DELETING_SECONDS = 13;

/** What a poison event throws: its message must be seen nowhere. */
export class PoisonedError extends Error {
  readonly code = 'poisoned';
  constructor() {
    super('FAKE-secret of the payload');
  }
}

/** An order-sensitive sum: an event that is missing, doubled or out of order changes it for good. */
function mix(trail: number, event: LedgerEvent): number {
  return (trail * 31 + Number(event.position % 1_000_003n) + event.part + 1) % 1_000_000_007;
}

interface Tally {
  readonly count: number;
  readonly trail: number;
  readonly position: string;
}

const EMPTY: Tally = { count: 0, trail: 7, position: '0' };

function add(tally: Tally, event: LedgerEvent): Tally {
  return { count: tally.count + 1, trail: mix(tally.trail, event), position: event.position.toString() };
}

interface StreamTally extends Tally {
  readonly stream: string;
}

const streams: Projection<StreamTally> = {
  name: 'streams',
  indexes: [{ name: 'by_count', fields: ['count'] }],
  idOf: (event) => event.stream,
  evolve: (doc, event) => ({ stream: event.stream, ...add(doc ?? EMPTY, event) }),
  fields: ({ count }) => ({ count }),
};

interface CallTally extends Tally {
  readonly receiptId: string;
  readonly seconds: number;
}

const calls: Projection<CallTally> = {
  name: 'calls',
  indexes: [
    { name: 'by_seconds', fields: ['seconds'] },
    { name: 'by_receipt', fields: ['receiptId', 'seconds'] },
  ],
  idOf: (event) => (event.type === 'LeaseExtended' ? `${event.stream}#${event.data.receiptId}` : null),
  evolve(doc, event) {
    if (event.type !== 'LeaseExtended') return doc;
    const { receiptId, leaseSeconds } = event.data;
    if (leaseSeconds === POISON_SECONDS) throw new PoisonedError();
    if (leaseSeconds === DELETING_SECONDS) return null;
    return { receiptId, seconds: (doc?.seconds ?? 0) + leaseSeconds, ...add(doc ?? EMPTY, event) };
  },
  fields: ({ seconds, receiptId }) => ({ seconds, receiptId }),
};

const types: Projection<Tally & { readonly type: string }> = {
  name: 'types',
  indexes: [{ name: 'by_type', fields: ['type'] }],
  idOf: (event) => `${event.stream}/${event.type}`,
  evolve: (doc, event) => ({ type: event.type, ...add(doc ?? EMPTY, event) }),
  fields: ({ type }) => ({ type }),
};

interface RemainderTally extends Tally {
  readonly id: string;
}

/** An event touches two of a stream's documents, or one that it names twice. */
const remainders: Projection<RemainderTally> = {
  name: 'remainders',
  indexes: [{ name: 'by_count', fields: ['count'] }],
  idOf: (event) => (event.type === 'LeaseExtended' ? [2, 3].map((by) => `${event.stream}%${event.data.leaseSeconds % by}`) : null),
  evolve: (doc, event, id) => ({ id, ...add(doc ?? EMPTY, event) }),
  fields: ({ count }) => ({ count }),
};

/** Four simple projections over the events of a TallyFeed. */
export function tallySet(version = 1): ProjectionSet {
  return { name: 'tally', version, projections: [streams, calls, types, remainders] };
}
