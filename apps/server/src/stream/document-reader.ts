import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { DomainError, type AccessScope } from '@counterfoil/contracts';
import { GetApprovalQuery } from '../approvals/queries.js';
import { GetReceiptQuery } from '../receipts/queries.js';
import { GetTaskQuery } from '../tasks/queries.js';
import type { Touch } from './touches.js';

/** A document as GET answers it. */
export type StreamDocument = Readonly<Record<string, unknown>>;

/** Reads what a stream sends by the very queries that GET asks: the same shape, the same scope. */
@Injectable()
export class DocumentReader {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  /**
   * @param position token of the event that touched the document: it is read there or later
   * @param stream that event's stream
   * @returns null where this scope has no such document, or the event is one that can't be projected
   * @throws DomainError `projection_lagging` when the read models are not there yet
   */
  async read(scope: AccessScope, touch: Touch, position: string, stream: string): Promise<StreamDocument | null> {
    try {
      return await this.queries.execute<object, StreamDocument>(queryOf(scope, touch, position, stream));
    } catch (error) {
      if (error instanceof DomainError && (error.code === 'not_found' || error.code === 'stream_parked')) return null;
      throw error;
    }
  }
}

function queryOf(scope: AccessScope, { kind, id }: Touch, position: string, stream: string): object {
  // Documents that are unique within their workspace only have it in their id.
  const path = id.split('/').slice(1);
  switch (kind) {
    case 'receipt':
      return new GetReceiptQuery(scope, position, id, {}, stream);
    case 'approval':
      return new GetApprovalQuery(scope, position, path[0] ?? '');
    case 'task': {
      const [sessionId = '', plan = '', taskId = ''] = path;
      return new GetTaskQuery(scope, position, sessionId, taskId, { plan });
    }
  }
}
