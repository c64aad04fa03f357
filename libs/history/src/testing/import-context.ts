import type { ImportContext } from '../import/prepared.js';

/** Who imports in specs; the clock stands still. */
export const CONTEXT: ImportContext = {
  workspaceId: 'default',
  actor: { principal: 'person:importer', keyId: 'k1' },
  importKey: { id: 'imp', secret: new Uint8Array(32).fill(3) },
  importRun: 'run-golden',
  now: () => Date.UTC(2026, 4, 5),
};
