export { AccessRegistry, type CreatedKey } from './access/access-registry.js';
export { reachesUser, userScope } from './access/roles.js';
export { LedgerStartError } from './errors.js';
export { FIRST_WORKSPACE, makeFirstKey } from './first-start.js';
export { ADMIN_KEY_FILE, openFileKeyRing } from './keys/file-key-ring.js';
export type { KeyRing } from './keys/key-ring.js';
export { MAIN_SET } from './projection-set.js';
export { createRegistry } from './registry.js';
export { LEDGER, type Ledger, type LedgerHealth, type ReadModels } from './ledger.js';
export { type LedgerObserver } from './observers.js';
export { openLedger } from './open-ledger.js';
export {
  SessionRepository,
  sessionStream,
  type CallOf,
  type CommandOrigin,
  type SessionAnswer,
  type SessionRef,
  type StateView,
  type ToolDirectories,
} from './sessions/session-repository.js';
export { readSettings, type Settings } from './settings.js';
export { sweepOnce } from './sweeper.js';
export {
  ToolRegistry,
  type PolicyAnswer,
  type RegistryPlace,
  type RetiredAnswer,
  type ToolAnswer,
  type ToolRegistryOptions,
} from './tools/tool-registry.js';
export { registryStream } from './tools/workspace-registry.js';
