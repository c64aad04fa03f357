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
export { openProjections, type Projections } from './open-projections.js';
export { refuseUnfinished } from './copy/facts.js';
export { CopyError, type CopyErrorCode } from './copy/copy-error.js';
export { copyLedger, type CopyOptions, type CopyReport } from './copy/copy-ledger.js';
export { type CopyProgress, type CopyStep } from './copy/meter.js';
export { openCopyStores, type CopyStores } from './copy/open-copy-stores.js';
export { asDomainError } from './store-answers.js';
export {
  DEFAULT_STREAM_PREFIX,
  EventsUrl,
  inFile,
  ReadModelsUrl,
  shownLocation,
  withPrefix,
  type EventsLocation,
  type ReadModelsLocation,
} from './stores/locations.js';
export { openDocumentStore, openEventStore, type LedgerStore, type OpenStoreOptions } from './stores/open-stores.js';
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
export { namingSettings, readSettings, type Settings } from './settings.js';
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
