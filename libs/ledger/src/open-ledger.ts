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
import { ProjectionEngine, ProjectionLaggingError, type ParkedStream } from '@counterfoil/projections';
import { streamWorkspaceOf, type DocumentStore } from '@counterfoil/read-models';
import { AccessRegistry } from './access/access-registry.js';
import { checkKeys, hasKeys } from './keys/check-keys.js';
import { openFileKeyRing } from './keys/file-key-ring.js';
import type { Ledger, LedgerHealth, ReadModels } from './ledger.js';
import { refuseUnfinished } from './copy/facts.js';
import { Observers } from './observers.js';
import { PositionTokens } from './position-tokens.js';
import { MAIN_SET } from './projection-set.js';
import { SessionRepository } from './sessions/session-repository.js';
import type { Settings } from './settings.js';
import { asDomainError } from './store-answers.js';
import { bindReadModels } from './stores/bind-read-models.js';
import { openDocumentStore, openEventStore, partitionsOf, type LedgerStore } from './stores/open-stores.js';
import { ToolRegistry } from './tools/tool-registry.js';

export interface OpenOptions {
  /** Whether a ledger that was never started may be given keys now. One that was started before never gets new ones. */
  readonly createKeys: boolean;
  /** Whether read models may be built from here: then only what a majority of MongoDB has is built on. Default false. */
  readonly builds?: boolean;
  /** False: there must be a ledger, and nothing is made where there is none. Default true. */
  readonly create?: boolean;
  /** Hears of faults in background work. */
  readonly onFault?: (error: unknown) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/**
 * Opens the stores and keys of a ledger and puts them together. Any number of processes may have one ledger open.
 *
 * @throws LedgerStartError (keys, a copy that is not finished, read models of another ledger), LedgerMissingError, StoreFileError, StoreUnavailableError, StoreSettingsError, StreamIntegrityError,
 *   DocumentStoreUnavailableError, DocumentStoreSettingsError, BrokenUpcastChainError
 */
export async function openLedger(
  settings: Pick<Settings, 'events' | 'readModels' | 'keysDirectory'>,
  options: OpenOptions,
): Promise<Ledger> {
  const { events, readModels, keysDirectory } = settings;
  const { onFault, create = true } = options;
  const store = await openEventStore(events, { create, ...(onFault === undefined ? {} : { onFault }) });
  try {
    refuseUnfinished(store);
    // Servers on several machines would each make keys of their own: there they are made once, and given to each (design §8).
    const makeKeys = options.createKeys && events.kind === 'sqlite' && !hasKeys(store);
    const keys = openFileKeyRing(keysDirectory, { create: makeKeys });
    await checkKeys(store, keys);
    const docs = await openDocumentStore(readModels, options.builds === true ? 'majority' : 'local');
    return await bound(assemble(store, docs, keys, options, partitionsOf(readModels)));
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** @throws LedgerStartError `read_models_of_another_ledger` */
async function bound(ledger: Ledger): Promise<Ledger> {
  const { docs, store, engine, partitions } = ledger;
  try {
    await bindReadModels(docs, store.epoch, engine, partitions);
    return ledger;
  } catch (error) {
    await docs.close();
    throw error;
  }
}

function assemble(store: LedgerStore, docs: DocumentStore, keys: Ledger['keys'], options: OpenOptions, partitions: number): Ledger {
  const now = options.now ?? Date.now;
  const { onFault } = options;
  const engine = new ProjectionEngine({ events: store, docs, set: MAIN_SET, partitions, ...(onFault === undefined ? {} : { onFault }) });
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
    partitions,
    projectsHere: partitions === 1,
    token: (position) => tokens.token(position),
    parseToken: (token) => tokens.parse(token),
    readModels: (minPosition, waitMs, streams) => readModels(engine, store, minPosition, waitMs, streams),
    health: () => health(engine, partitions === 1),
    observe: (one) => observer.add(one),
    close: async () => {
      await docs.close();
      await store.close();
    },
  };
}

async function readModels(
  engine: ProjectionEngine,
  store: Pick<LedgerStore, 'head'>,
  minPosition: bigint | null,
  waitMs: number,
  streams: readonly string[] = [],
): Promise<ReadModels> {
  const { readModels: models } = engine;
  try {
    if (minPosition !== null) await models.waitFor(minPosition, waitMs, undefined, streams);
    // The position first: what is read after it surely holds it.
    const position = await models.position(streams);
    const [live, imported] = await Promise.all([liveModels(models), importedModels(models)]);
    const parkedIn = async (workspaceId: string): Promise<readonly ParkedStream[]> =>
      (await models.parked()).filter(({ stream }) => streamWorkspaceOf(stream) === workspaceId);
    return { ...live, ...imported, position, parkedIn };
  } catch (error) {
    if (error instanceof ProjectionLaggingError) await refuseBeyond(error.wanted, store);
    throw asDomainError(error);
  }
}

/** A position that this ledger never gave is waited for in vain, however often. @throws DomainError `invalid_position` */
async function refuseBeyond(position: bigint, store: Pick<LedgerStore, 'head'>): Promise<void> {
  const head = await store.head().catch(() => null);
  if (head !== null && position > head) throw new DomainError('invalid_position', 'The ledger has not reached this position.');
}

type Models = ProjectionEngine['readModels'];
type ImportedModels = 'importedTasks' | 'taskTransitions' | 'receiptCopies' | 'quarantine' | 'imports';

async function liveModels(models: Models): Promise<Omit<ReadModels, ImportedModels | 'position' | 'parkedIn'>> {
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

async function health(engine: ProjectionEngine, projectsHere: boolean): Promise<LedgerHealth> {
  const status = await engine.status();
  const projects = status.state === 'running' || status.state === 'contending';
  const unowned = status.partitions?.filter(({ owner }) => owner === null).length;
  return {
    // A fault stands until a batch is applied again: until then what is written is not shown, or can't be written at all.
    // Where others project, a server that can read both stores has done its part.
    ready: !projectsHere || (projects && status.fault === undefined),
    facts: {
      projections: {
        state: projectsHere ? status.state : 'elsewhere',
        generation: status.generation,
        lagPositions: status.lagPositions.toString(),
        parkedStreams: status.parkedCount,
        fault: status.fault?.code ?? null,
        ...(unowned === undefined ? {} : { unownedPartitions: unowned }),
      },
    },
  };
}
