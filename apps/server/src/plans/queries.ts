import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError, type AccessScope } from '@counterfoil/contracts';
import { findPlans, getPlan, PlanListQuery, splitPlanQuery } from '@counterfoil/read-models';
import { validatedQuery } from '../http/validated-query.js';
import { ReadDesk, readScope, streamsOf } from '../runtime/read-desk.js';

export class FindPlansQuery {
  constructor(
    readonly scope: AccessScope,
    readonly minPosition: string | null,
    readonly query: unknown,
  ) {}
}

export class GetPlanQuery {
  constructor(
    readonly scope: AccessScope,
    readonly minPosition: string | null,
    readonly sessionId: string,
    readonly planId: string,
  ) {}
}

@QueryHandler(FindPlansQuery)
export class FindPlansHandler implements IQueryHandler<FindPlansQuery> {
  constructor(@Inject(ReadDesk) private readonly desk: ReadDesk) {}

  async execute({ scope, minPosition, query }: FindPlansQuery): Promise<unknown> {
    const { filters, page } = splitPlanQuery(validatedQuery(PlanListQuery, query));
    const models = await this.desk.models(minPosition);
    return this.desk.page(scope, await findPlans(models.plans, readScope(scope), filters, this.desk.place(page)), models, (doc) =>
      this.desk.plan(doc),
    );
  }
}

@QueryHandler(GetPlanQuery)
export class GetPlanHandler implements IQueryHandler<GetPlanQuery> {
  constructor(@Inject(ReadDesk) private readonly desk: ReadDesk) {}

  async execute({ scope, minPosition, sessionId, planId }: GetPlanQuery): Promise<unknown> {
    const models = await this.desk.models(minPosition, streamsOf(scope, sessionId));
    const doc = await getPlan(models.plans, readScope(scope), sessionId, planId);
    if (doc === null) throw new DomainError('not_found', 'There is no such plan.');
    return this.desk.plan(doc);
  }
}
