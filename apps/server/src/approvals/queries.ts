import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError, type AccessScope } from '@counterfoil/contracts';
import { ApprovalListQuery, findApprovals, getApproval, getReceipt, splitApprovalQuery } from '@counterfoil/read-models';
import { safeDisplay } from '@counterfoil/redaction';
import { validatedQuery } from '../http/validated-query.js';
import { ReadDesk, readScope } from '../runtime/read-desk.js';

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
    return this.desk.page(await findApprovals(models.approvals, readScope(scope), filters, page), models, (doc) => this.desk.approval(doc));
  }
}

/**
 * The approval with what would run. `shown` is the arguments' text with every invisible or direction-changing character spelled out, so
 * that nothing can look harmless (case 23); the digests are over the text as it is.
 */
@QueryHandler(GetApprovalQuery)
export class GetApprovalHandler implements IQueryHandler<GetApprovalQuery> {
  constructor(@Inject(ReadDesk) private readonly desk: ReadDesk) {}

  async execute({ scope, minPosition, approvalId }: GetApprovalQuery): Promise<unknown> {
    const models = await this.desk.models(minPosition);
    const doc = await getApproval(models.approvals, readScope(scope), approvalId, Date.now());
    const receipt = doc === null ? null : await getReceipt(models.receipts, readScope(scope), doc.receiptId);
    if (doc === null || receipt === null) throw new DomainError('not_found', 'There is no such approval.');
    const { tool, turn, callId, requestedBy, arguments: args } = receipt;
    return { ...this.desk.approval(doc), call: { turn, callId, tool, requestedBy, arguments: args, shown: safeDisplay(args.json) } };
  }
}
