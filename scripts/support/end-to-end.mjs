import { readdirSync, readFileSync } from 'node:fs';
import { inRoot } from './root.mjs';

/** They reach into the file of an embedded ledger, or ask for the gauges of its projections. */
const EMBEDDED = new Set(['faults.e2e.spec.ts', 'metrics.e2e.spec.ts']);

const starts = (...parts) => readFileSync(inRoot(...parts), 'utf8').includes('startLedger(');

/** End-to-end specs that run over whichever stores they are told, for jest: those that start their ledger by `startLedger`, themselves or by what they share. */
export function specsOverAnyStores() {
  const shared = readdirSync(inRoot('test/support')).filter((name) => starts('test/support', name));
  const sharing = shared.map((name) => `'./support/${name.replace(/\.ts$/, '.js')}'`);
  const isOne = (name) => {
    const text = readFileSync(inRoot('test', name), 'utf8');
    return starts('test', name) || sharing.some((module) => text.includes(`from ${module}`));
  };
  const found = readdirSync(inRoot('test')).filter((name) => name.endsWith('.e2e.spec.ts') && !EMBEDDED.has(name) && isOne(name));
  return found.map((name) => `test/${name}$`);
}

/** Tells them to run over EventStoreDB and MongoDB. */
export const DISTRIBUTED = { COUNTERFOIL_TEST_LEDGER: 'distributed' };
