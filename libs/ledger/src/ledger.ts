import type {
  ApprovalDocument,
  CopyDocument,
  ImportDocument,
  ImportedTaskDocument,
  PlanDocument,
  QuarantineDocument,
  ReceiptDocument,
  SessionDocument,
  TaskDocument,
  ToolDocument,
  TransitionDocument,
} from '@counterfoil/contracts';
import type { ParkedStream, ProjectionEngine } from '@counterfoil/projections';
import type { Collection, DocumentStore } from '@counterfoil/read-models';
import type { AccessRegistry } from './access/access-registry.js';
import type { KeyRing } from './keys/key-ring.js';
import type { LedgerObserver } from './observers.js';
import type { SessionRepository } from './sessions/session-repository.js';
import type { LedgerStore } from './stores/open-stores.js';
import type { ToolRegistry } from './tools/tool-registry.js';

/** The read models of the active generation, and the position up to which they hold everything. */
export interface ReadModels {
  readonly receipts: Collection<ReceiptDocument>;
  readonly approvals: Collection<ApprovalDocument>;
  readonly sessions: Collection<SessionDocument>;
  readonly plans: Collection<PlanDocument>;
  readonly tasks: Collection<TaskDocument>;
  readonly tools: Collection<ToolDocument>;
  readonly importedTasks: Collection<ImportedTaskDocument>;
  readonly taskTransitions: Collection<TransitionDocument>;
  readonly receiptCopies: Collection<CopyDocument>;
  readonly quarantine: Collection<QuarantineDocument>;
  readonly imports: Collection<ImportDocument>;
  readonly position: bigint;
  /** The streams of a workspace that are not projected any more; to be asked after the documents were read. */
  parkedIn(workspaceId: string): Promise<readonly ParkedStream[]>;
}

export interface LedgerHealth {
  readonly ready: boolean;
  /** Numbers and words of ours: no user data. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** An open ledger: one per process. */
export interface Ledger {
  readonly store: LedgerStore;
  readonly docs: DocumentStore;
  readonly keys: KeyRing;
  readonly sessions: SessionRepository;
  readonly access: AccessRegistry;
  readonly tools: ToolRegistry;
  readonly engine: ProjectionEngine;
  /** In how many partitions its read models are kept. */
  readonly partitions: number;
  /** Whether a server of this ledger runs its projections; else projectors do. */
  readonly projectsHere: boolean;
  /** `<epoch>.<n>`: what a client holds of a position (design §5, Ports). */
  token(position: bigint): string;
  /** @throws DomainError `invalid_position`, `position_of_another_ledger` */
  parseToken(token: string): bigint;
  /**
   * The read models at or after a position; null: as they are.
   *
   * @param streams those that the answer is joined from: only their partitions are waited for, and `position` speaks of them; none for all
   * @throws DomainError `projection_lagging` when they are not there within `waitMs`, `stream_parked` for a stream that was named, `read_models_unavailable`
   */
  readModels(minPosition: bigint | null, waitMs: number, streams?: readonly string[]): Promise<ReadModels>;
  health(): Promise<LedgerHealth>;
  /** Tells an observer what this process decides and appends from now on. @returns ends it */
  observe(observer: LedgerObserver): () => void;
  close(): Promise<void>;
}

/** Under which name Nest provides it. */
export const LEDGER = Symbol('ledger');
