import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { AccessScope } from '@counterfoil/contracts';
import { registryStream } from '@counterfoil/ledger';
import { findTools, splitToolQuery, ToolListQuery } from '@counterfoil/read-models';
import { validatedQuery } from '../http/validated-query.js';
import { ReadDesk } from '../runtime/read-desk.js';

export class FindToolsQuery {
  constructor(
    readonly scope: AccessScope,
    readonly minPosition: string | null,
    readonly query: unknown,
  ) {}
}

/** Tools belong to the workspace: whoever may read them reads all of them. */
@QueryHandler(FindToolsQuery)
export class FindToolsHandler implements IQueryHandler<FindToolsQuery> {
  constructor(@Inject(ReadDesk) private readonly desk: ReadDesk) {}

  async execute({ scope, minPosition, query }: FindToolsQuery): Promise<unknown> {
    const { filters, page } = splitToolQuery(validatedQuery(ToolListQuery, query));
    const models = await this.desk.models(minPosition, [registryStream(scope.workspaceId)]);
    const found = await findTools(models.tools, { workspaceId: scope.workspaceId }, filters, this.desk.place(page));
    return this.desk.page(scope, found, models, (doc) => this.desk.tool(doc));
  }
}
