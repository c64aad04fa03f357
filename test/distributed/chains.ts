import type { Guarded, Unguarded } from './writes.js';

export interface ChainsReport {
  readonly faults: readonly string[];
  /** Of each document and control document, by collection and id: the guard or revision that its last write left. */
  readonly ends: ReadonlyMap<string, bigint>;
  readonly figures: {
    readonly documents: number;
    readonly documentWrites: number;
    readonly refusedDocumentWrites: number;
    readonly checkpointMoves: number;
    readonly otherControlWrites: number;
    readonly refusedControlWrites: number;
  };
}

/**
 * Checks a record of all writes: no guard, revision or checkpoint ever went back.
 *
 * The order in which several connections' writes were done is not to be seen from outside, but each names the guard that it met and the
 * one that it left. If none ever goes back, those of a document are one chain: made once, each next one on what the one before left. Two
 * writes that met the same guard, a write that met one that nobody left, or one that left no greater one, break it.
 */
export function checkChains(record: readonly (Guarded | Unguarded)[]): ChainsReport {
  const faults: string[] = [];
  const applied = new Map<string, Guarded[]>();
  let [refusedDocumentWrites, refusedControlWrites] = [0, 0];
  for (const write of record) {
    if (!('fate' in write)) faults.push(`${write.key}: ${write.command} without a guard`);
    else if (write.fate === 'refused') {
      if (write.kind === 'document') refusedDocumentWrites++;
      else refusedControlWrites++;
    } else if (write.fate !== 'applied') faults.push(`${write.key}: a write of ${write.by} is ${write.fate}`);
    else {
      const all = applied.get(write.key);
      if (all === undefined) applied.set(write.key, [write]);
      else all.push(write);
    }
  }
  const ends = new Map<string, bigint>();
  const counts = { documents: 0, documentWrites: 0, checkpointMoves: 0, otherControlWrites: 0 };
  for (const [key, writes] of applied) {
    const { chain, faults: found } = chained(key, writes);
    faults.push(...found, ...backwards(key, chain));
    ends.set(key, chain.at(-1)?.next ?? -1n);
    if (writes[0]?.kind === 'document') {
      counts.documents++;
      counts.documentWrites += writes.length;
    } else if (isCheckpoint(key)) counts.checkpointMoves += writes.length;
    else counts.otherControlWrites += writes.length;
  }
  return { faults, ends, figures: { ...counts, refusedDocumentWrites, refusedControlWrites } };
}

/** The writes of one document in the order in which they were done. */
function chained(key: string, writes: readonly Guarded[]): { readonly chain: readonly Guarded[]; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const byExpected = new Map<bigint | null, Guarded>();
  for (const write of writes) {
    const { expected, next, by } = write;
    if (next <= (expected ?? -1n)) faults.push(`${key}: ${by} went back from ${String(expected)} to ${String(next)}`);
    if (byExpected.has(expected)) faults.push(`${key}: two writes met ${String(expected)}, the second of ${by}`);
    byExpected.set(expected, write);
  }
  const chain: Guarded[] = [];
  for (let write = byExpected.get(null); write !== undefined && chain.length < writes.length; write = byExpected.get(write.next))
    chain.push(write);
  if (chain.length !== writes.length)
    faults.push(`${key}: ${String(writes.length)} writes were done, and ${String(chain.length)} follow on one another`);
  return { chain, faults };
}

const isCheckpoint = (key: string): boolean => key.startsWith('control checkpoint/');
/** There `epoch` names the ledger, and is no number. */
const namesLedger = (key: string): boolean => isCheckpoint(key) || key === 'control ledger';

/** What only ever grows in a control document, beside its revision: positions, and the epochs of leases and partitions. */
function backwards(key: string, chain: readonly Guarded[]): readonly string[] {
  const faults: string[] = [];
  for (const member of ['position', 'fence', ...(namesLedger(key) ? [] : ['epoch'])]) {
    let last = 0n;
    for (const { value, by } of chain) {
      const found = value?.[member];
      if (found === undefined || found === null) continue;
      const now = BigInt(found as string | number);
      if (now < last) faults.push(`${key}: ${by} took ${member} back from ${String(last)} to ${String(now)}`);
      last = now;
    }
  }
  return faults;
}
