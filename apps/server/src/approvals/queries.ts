import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError, type AccessScope, type ReceiptDocument } from '@counterfoil/contracts';
import { ApprovalListQuery, findApprovals, getApproval, getReceipt, splitApprovalQuery } from '@counterfoil/read-models';
import { safeDisplay } from '@counterfoil/redaction';
import { validatedQuery } from '../http/validated-query.js';
import { ReadDesk, readScope, streamsOf } from '../runtime/read-desk.js';

export class FindApprovalsQuery {
  constructor(
    readonly scope: AccessScope,
    readonly minPosition: string | null,
    readonly query: unknown,
  ) {}
}

export class GetApprovalQuery {
  constructor(
    readonly scope: AccessScope,
    readonly minPosition: string | null,
    readonly approvalId: string,
  ) {}
}

@QueryHandler(FindApprovalsQuery)
export class FindApprovalsHandler implements IQueryHandler<FindApprovalsQuery> {
  constructor(@Inject(ReadDesk) private readonly desk: ReadDesk) {}

  async execute({ scope, minPosition, query }: FindApprovalsQuery): Promise<unknown> {
    const { filters, page } = splitApprovalQuery(validatedQuery(ApprovalListQuery, query), Date.now());
    const models = await this.desk.models(minPosition);
    return this.desk.page(scope, await findApprovals(models.approvals, readScope(scope), filters, this.desk.place(page)), models, (doc) =>
      this.desk.approval(doc),
    );
  }
}

/**
 * The approval with what would run. In `shown` (the arguments) and `shownAs` (what the agent chose of the rest) every invisible or
 * direction-changing character is spelled out, so that nothing can look harmless (case 23); values and digests are of the text as it is.
 */
@QueryHandler(GetApprovalQuery)
export class GetApprovalHandler implements IQueryHandler<GetApprovalQuery> {
  constructor(@Inject(ReadDesk) private readonly desk: ReadDesk) {}

  async execute({ scope, minPosition, approvalId }: GetApprovalQuery): Promise<unknown> {
    const models = await this.desk.models(minPosition, approvalStreams(scope, approvalId));
    const doc = await getApproval(models.approvals, readScope(scope), approvalId, Date.now());
    const receipt = doc === null ? null : await getReceipt(models.receipts, readScope(scope), doc.receiptId);
    if (doc === null || receipt === null) throw new DomainError('not_found', 'There is no such approval.');
    const { tool, turn, callId, taskId, requestedBy, arguments: args } = receipt;
    const shown = { shown: safeDisplay(args.json), shownAs: shownAs(receipt), amendment: amendmentOf(receipt) };
    return { ...this.desk.approval(doc), call: { turn, callId, tool, taskId, requestedBy, arguments: args, ...shown } };
  }
}

/** The session stands in the id, before its last `_` (decision 0003); an id that has none is nobody's. */
const approvalStreams = (scope: AccessScope, approvalId: string): readonly string[] =>
  streamsOf(scope, approvalId.slice('apr_'.length, approvalId.lastIndexOf('_')));

const shownAs = ({ tool, turn, callId }: ReceiptDocument): Readonly<Record<string, string | null>> => ({
  source: tool.source === null ? null : safeDisplay(tool.source),
  name: safeDisplay(tool.name),
  turn: turn === null ? null : safeDisplay(turn),
  callId: safeDisplay(callId),
});

/** What was asked for, where the approver granted something else (promise 8). */
function amendmentOf({ amendment }: ReceiptDocument): Readonly<Record<string, unknown>> | null {
  return amendment === null ? null : { ...amendment, shown: safeDisplay(amendment.originalArguments.json) };
}
