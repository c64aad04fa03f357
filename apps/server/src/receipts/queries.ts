import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError, type AccessScope, type ReceiptDocument } from '@counterfoil/contracts';
import { compatView, findReceipts, getReceipt, readReceipt, ReceiptListQuery, splitReceiptQuery } from '@counterfoil/read-models';
import { z } from 'zod';
import { validatedQuery } from '../http/validated-query.js';
import { isHistory, ReadDesk, readScope, streamsOf } from '../runtime/read-desk.js';

export class FindReceiptsQuery {
  constructor(
    readonly scope: AccessScope,
    readonly minPosition: string | null,
    readonly query: unknown,
  ) {}
}

export class GetReceiptQuery {
  constructor(
    readonly scope: AccessScope,
    readonly minPosition: string | null,
    readonly receiptId: string,
    readonly query: unknown,
    /** The stream whose event the position is of, where that is known: then no other is waited for. */
    readonly stream: string | null = null,
  ) {}
}

@QueryHandler(FindReceiptsQuery)
export class FindReceiptsHandler implements IQueryHandler<FindReceiptsQuery> {
  constructor(@Inject(ReadDesk) private readonly desk: ReadDesk) {}

  async execute({ scope, minPosition, query }: FindReceiptsQuery): Promise<unknown> {
    const { filters, page } = splitReceiptQuery(validatedQuery(ReceiptListQuery, query));
    const models = await this.desk.models(minPosition);
    const found = await findReceipts(models.receipts, readScope(scope), filters, this.desk.place(page), models.position);
    return this.desk.page(scope, found, models, (doc) => this.desk.receipt(doc));
  }
}

/** Whether a receipt is made of a stream. One that isn't there could be of any: its id doesn't say. */
function madeOf(doc: ReceiptDocument | null, scope: AccessScope): (stream: string) => boolean {
  if (doc === null) return () => true;
  const { provenance, sessionId } = doc;
  // What was imported is joined with its other sightings.
  if (provenance.kind === 'imported' || sessionId === null) return isHistory;
  return (stream) => streamsOf(scope, sessionId).includes(stream);
}

/** The query string of GET /v1/receipts/{id}. */
export const GetReceiptParams = z.strictObject({ view: z.enum(['compat']).optional() });

@QueryHandler(GetReceiptQuery)
export class GetReceiptHandler implements IQueryHandler<GetReceiptQuery> {
  constructor(@Inject(ReadDesk) private readonly desk: ReadDesk) {}

  async execute({ scope, minPosition, receiptId, query, stream }: GetReceiptQuery): Promise<unknown> {
    const { view } = validatedQuery(GetReceiptParams, query);
    const models = await this.desk.models(minPosition, stream === null ? [] : [stream]);
    // The old keys are those of the one record that was asked for; everything else is what all sightings of the receipt say.
    const read = view === 'compat' ? getReceipt : readReceipt;
    const doc = await read(models.receipts, readScope(scope), receiptId);
    if (stream === null) await this.desk.refuseParked(scope, models, minPosition, madeOf(doc, scope));
    if (doc === null) throw new DomainError('not_found', 'There is no such receipt.');
    return view === 'compat' ? compatView(doc) : this.desk.receipt(doc);
  }
}
