import { Inject, Injectable } from '@nestjs/common';
import {
  DomainError,
  type AccessScope,
  type ApprovalDocument,
  type CopyDocument,
  type ImportedTaskReading,
  type Page,
  type PlanDocument,
  type QuarantineDocument,
  type ReceiptDocument,
  type SessionDocument,
  type TaskReading,
  type ToolDocument,
} from '@counterfoil/contracts';
import { LEDGER, sessionStream, userScope, type Ledger, type ReadModels } from '@counterfoil/ledger';
import type { FoundPage, PageRequest, ReadScope } from '@counterfoil/read-models';

/** How long a query waits for the position that it was given. */
const WAIT_MS = 5000;
/** The epoch of the ledger that gave it, and what its list made of it. */
const CURSOR = /^([a-z0-9]{1,32})\.(.+)$/s;

/** Where query handlers meet the read models: they wait for the position that the client holds, and answer with tokens. */
@Injectable()
export class ReadDesk {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  /**
   * The read models, at or after the position that the client holds (promise 28).
   *
   * @param streams logical names of those that the answer is joined from, if they are known: nobody waits for others
   * @throws DomainError `projection_lagging`, `stream_parked`, `invalid_position`, `position_of_another_ledger`
   */
  async models(minPosition: string | null, streams: readonly string[] = []): Promise<ReadModels> {
    return this.ledger.readModels(minPosition === null ? null : this.ledger.parseToken(minPosition), WAIT_MS, streams);
  }

  /**
   * For an answer that all streams of the workspace were waited for: that none which it is made of was left out at the position.
   *
   * @param concerns whether the answer is, or could be, made of a stream
   * @throws DomainError `stream_parked`
   */
  async refuseParked(
    { workspaceId }: AccessScope,
    models: ReadModels,
    minPosition: string | null,
    concerns: (stream: string) => boolean,
  ): Promise<void> {
    if (minPosition === null) return;
    const position = this.ledger.parseToken(minPosition);
    const parked = await models.parkedIn(workspaceId);
    if (parked.some((one) => one.position <= position && concerns(one.stream)))
      throw new DomainError('stream_parked', 'An event that this would be joined from cannot be projected.');
  }

  /**
   * Where a list goes on. A cursor holds places among the positions of its ledger: in a copy they are others, so that what came back would be
   * another page than the next one.
   *
   * @throws DomainError `position_of_another_ledger`, `invalid_cursor`
   */
  place<P extends PageRequest>(page: P): P {
    if (page.cursor === undefined) return page;
    const [, epoch, cursor] = CURSOR.exec(page.cursor) ?? [];
    if (epoch === undefined) throw new DomainError('invalid_cursor', 'The cursor is not one that this ledger gave.');
    if (epoch !== this.ledger.store.epoch) throw new DomainError('position_of_another_ledger', 'The cursor was given by another ledger.');
    return { ...page, cursor };
  }

  /** A list says where it may lack something: what is missing can't be told from what never was. */
  async page<D, V>({ workspaceId }: AccessScope, found: FoundPage<D>, models: ReadModels, view: (doc: D) => V): Promise<Page<V>> {
    const nextCursor = found.nextCursor === null ? null : `${this.ledger.store.epoch}.${found.nextCursor}`;
    const page = { items: found.items.map(view), nextCursor, position: this.ledger.token(models.position) };
    return (await models.parkedIn(workspaceId)).length === 0 ? page : { ...page, incomplete: 'stream_parked' };
  }

  receipt(doc: ReceiptDocument): Omit<ReceiptDocument, 'original' | 'requestedPosition' | 'endedPosition'> {
    const { original: _original, requestedPosition: _requestedPosition, endedPosition: _endedPosition, position, ...rest } = doc;
    return { ...rest, position: this.token(position) };
  }

  approval(doc: ApprovalDocument): Omit<ApprovalDocument, 'requestedPosition'> {
    const { requestedPosition: _requestedPosition, position, ...rest } = doc;
    return { ...rest, position: this.token(position) };
  }

  session(doc: SessionDocument): Omit<SessionDocument, 'openedPosition'> {
    const { openedPosition: _openedPosition, position, ...rest } = doc;
    return { ...rest, position: this.token(position) };
  }

  plan(doc: PlanDocument): Omit<PlanDocument, 'activatedPosition'> {
    const { activatedPosition: _activatedPosition, position, ...rest } = doc;
    return { ...rest, position: this.token(position) };
  }

  task({ position, ...rest }: TaskReading): TaskReading {
    return { ...rest, position: this.token(position) };
  }

  importedTask({ position, ...rest }: ImportedTaskReading): ImportedTaskReading {
    return { ...rest, position: this.token(position) };
  }

  copy(doc: CopyDocument): Omit<CopyDocument, 'importedPosition'> {
    const { importedPosition: _importedPosition, position, ...rest } = doc;
    return { ...rest, position: this.token(position) };
  }

  quarantined(doc: QuarantineDocument): Omit<QuarantineDocument, 'importedPosition'> {
    const { importedPosition: _importedPosition, position, ...rest } = doc;
    return { ...rest, position: this.token(position) };
  }

  tool(doc: ToolDocument): Omit<ToolDocument, 'registeredPosition'> {
    const { registeredPosition: _registeredPosition, position, ...rest } = doc;
    return { ...rest, position: this.token(position) };
  }

  private token(position: string): string {
    return this.ledger.token(BigInt(position));
  }
}

/** The stream that one session's documents are made of. */
export const streamsOf = ({ workspaceId }: AccessScope, sessionId: string): readonly string[] => [
  sessionStream({ workspaceId, sessionId }),
];

/** What a key reads: its workspace, and for agents their user's part of it. */
export const readScope = (scope: AccessScope): ReadScope => ({ workspaceId: scope.workspaceId, userId: userScope(scope) });

/** A stream of old records: what is read of one is joined with others. */
export const isHistory = (stream: string): boolean => stream.startsWith('history-');
