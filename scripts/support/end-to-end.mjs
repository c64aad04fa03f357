import { readdirSync, readFileSync } from 'node:fs';
import { inRoot } from './root.mjs';

/** They reach into the file of an embedded ledger, or ask for the gauges of its projections. */
const EMBEDDED = new Set(['faults.e2e.spec.ts', 'metrics.e2e.spec.ts']);

/**
 * End-to-end specs that run over whichever stores they are told, for jest: those that start their ledger by `startLedger`, also
 * where what they share starts it.
 */
export function specsOverAnyStores() {
  const starts = (name) => /\b(startLedger|StreamStage|OldRuntime)\b/.test(readFileSync(inRoot('test', name), 'utf8'));
  const found = readdirSync(inRoot('test')).filter((name) => name.endsWith('.e2e.spec.ts') && !EMBEDDED.has(name) && starts(name));
  return found.map((name) => `test/${name}$`);
}

/** Tells them to run over EventStoreDB and MongoDB. */
export const DISTRIBUTED = { COUNTERFOIL_TEST_LEDGER: 'distributed' };
