import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { AccessScope } from '@counterfoil/contracts';
import { CopyListQuery, findCopies, splitCopyQuery } from '@counterfoil/read-models';
import { validatedQuery } from '../http/validated-query.js';
import { ReadDesk, readScope } from '../runtime/read-desk.js';

export class FindCopiesQuery {
  constructor(
    readonly scope: AccessScope,
    readonly minPosition: string | null,
    readonly query: unknown,
  ) {}
}

@QueryHandler(FindCopiesQuery)
export class FindCopiesHandler implements IQueryHandler<FindCopiesQuery> {
  constructor(@Inject(ReadDesk) private readonly desk: ReadDesk) {}

  async execute({ scope, minPosition, query }: FindCopiesQuery): Promise<unknown> {
    const { filters, page } = splitCopyQuery(validatedQuery(CopyListQuery, query));
    const models = await this.desk.models(minPosition);
    return this.desk.page(scope, await findCopies(models.receiptCopies, readScope(scope), filters, this.desk.place(page)), models, (doc) =>
      this.desk.copy(doc),
    );
  }
}
