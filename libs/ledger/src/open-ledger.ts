import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  DomainError,
  type ApprovalDocument,
  type CopyDocument,
  type ImportDocument,
  type ImportedTaskDocument,
  type PlanDocument,
  type QuarantineDocument,
  type ReceiptDocument,
  type SessionDocument,
  type TaskDocument,
  type ToolDocument,
  type TransitionDocument,
} from '@counterfoil/contracts';
import { openSqliteEventStore, type SqliteEventStore } from '@counterfoil/event-store';
import { ProjectionEngine, ProjectionLaggingError } from '@counterfoil/projections';
import { openSqliteDocumentStore, type DocumentStore } from '@counterfoil/read-models';
import { AccessRegistry } from './access/access-registry.js';
import { checkKeys, hasKeys } from './keys/check-keys.js';
import { openFileKeyRing } from './keys/file-key-ring.js';
import type { Ledger, LedgerHealth, ReadModels } from './ledger.js';
import { Observers } from './observers.js';
import { PositionTokens } from './position-tokens.js';
import { MAIN_SET } from './projection-set.js';
import { createRegistry } from './registry.js';
import { SessionRepository } from './sessions/session-repository.js';
import type { Settings } from './settings.js';
import { ToolRegistry } from './tools/tool-registry.js';

export interface OpenOptions {
  /** Whether a ledger that was never started may be given keys now. One that was started before never gets new ones. */
  readonly createKeys: boolean;
  /** Hears of faults in background work. */
  readonly onFault?: (error: unknown) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/**
 * Opens the stores and keys of a ledger and puts them together. Any number of processes may have one ledger open.
 *
 * @throws LedgerStartError (keys), StoreFileError, StoreUnavailableError, BrokenUpcastChainError
 */
export async function openLedger(
  settings: Pick<Settings, 'eventsFile' | 'readModelsFile' | 'keysDirectory'>,
  options: OpenOptions,
): Promise<Ledger> {
  for (const file of [settings.eventsFile, settings.readModelsFile]) mkdirSync(dirname(file), { recursive: true });
  const store = await openSqliteEventStore({ file: settings.eventsFile, registry: createRegistry() });
  try {
    const keys = openFileKeyRing(settings.keysDirectory, { create: options.createKeys && !hasKeys(store) });
    checkKeys(store, keys);
    const docs = await openSqliteDocumentStore({ file: settings.readModelsFile });
    return assemble(store, docs, keys, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

function assemble(store: SqliteEventStore, docs: DocumentStore, keys: Ledger['keys'], options: OpenOptions): Ledger {
  const now = options.now ?? Date.now;
  const { onFault } = options;
  const engine = new ProjectionEngine({ events: store, docs, set: MAIN_SET, ...(onFault === undefined ? {} : { onFault }) });
  const tokens = new PositionTokens(store.epoch);
  const observer = new Observers(onFault);
  const tools = new ToolRegistry({ store, keys, now, observer });
  return {
    store,
    docs,
    keys,
    sessions: new SessionRepository({ store, keys, tools, now, observer }),
    tools,
    access: new AccessRegistry(store, now, observer),
    engine,
    token: (position) => tokens.token(position),
    parseToken: (token) => tokens.parse(token),
    readModels: (minPosition, waitMs) => readModels(engine, minPosition, waitMs),
    health: () => health(engine),
    observe: (one) => observer.add(one),
    close: async () => {
      await docs.close();
      await store.close();
    },
  };
}

async function readModels(engine: ProjectionEngine, minPosition: bigint | null, waitMs: number): Promise<ReadModels> {
  const { readModels: models } = engine;
  try {
    if (minPosition !== null) await models.waitFor(minPosition, waitMs);
  } catch (error) {
    if (!(error instanceof ProjectionLaggingError)) throw error;
    throw new DomainError('projection_lagging', 'The read models have not reached the position that was asked for.');
  }
  // The position first: what is read after it surely holds it.
  const position = await models.position();
  const [live, imported] = await Promise.all([liveModels(models), importedModels(models)]);
  return { ...live, ...imported, position };
}

type Models = ProjectionEngine['readModels'];
type ImportedModels = 'importedTasks' | 'taskTransitions' | 'receiptCopies' | 'quarantine' | 'imports';

async function liveModels(models: Models): Promise<Omit<ReadModels, ImportedModels | 'position'>> {
  const [receipts, approvals, sessions, plans, tasks, tools] = await Promise.all([
    models.collection<ReceiptDocument>('receipts'),
    models.collection<ApprovalDocument>('approvals'),
    models.collection<SessionDocument>('sessions'),
    models.collection<PlanDocument>('plans'),
    models.collection<TaskDocument>('tasks'),
    models.collection<ToolDocument>('tools'),
  ]);
  return { receipts, approvals, sessions, plans, tasks, tools };
}

async function importedModels(models: Models): Promise<Pick<ReadModels, ImportedModels>> {
  const [importedTasks, taskTransitions, receiptCopies, quarantine, imports] = await Promise.all([
    models.collection<ImportedTaskDocument>('imported_tasks'),
    models.collection<TransitionDocument>('task_transitions'),
    models.collection<CopyDocument>('receipt_copies'),
    models.collection<QuarantineDocument>('quarantine'),
    models.collection<ImportDocument>('imports'),
  ]);
  return { importedTasks, taskTransitions, receiptCopies, quarantine, imports };
}

async function health(engine: ProjectionEngine): Promise<LedgerHealth> {
  const status = await engine.status();
  return {
    // A fault stands until a batch is applied again: until then what is written is not shown, or can't be written at all.
    ready: (status.state === 'running' || status.state === 'contending') && status.fault === undefined,
    facts: {
      projections: {
        state: status.state,
        generation: status.generation,
        lagPositions: status.lagPositions.toString(),
        parkedStreams: status.parkedCount,
        fault: status.fault?.code ?? null,
      },
    },
  };
}
