import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError, type AccessScope } from '@counterfoil/contracts';
import { getImportedTask } from '@counterfoil/read-models';
import { z } from 'zod';
import { validatedQuery } from '../http/validated-query.js';
import { isHistory, ReadDesk, readScope } from '../runtime/read-desk.js';

export class GetImportedTaskQuery {
  constructor(
    readonly scope: AccessScope,
    readonly minPosition: string | null,
    readonly recordKey: string,
    readonly query: unknown,
  ) {}
}

/** The query string of GET /v1/imported-tasks/{id}: none. */
export const GetImportedTaskParams = z.strictObject({});

@QueryHandler(GetImportedTaskQuery)
export class GetImportedTaskHandler implements IQueryHandler<GetImportedTaskQuery> {
  constructor(@Inject(ReadDesk) private readonly desk: ReadDesk) {}

  async execute({ scope, minPosition, recordKey, query }: GetImportedTaskQuery): Promise<unknown> {
    validatedQuery(GetImportedTaskParams, query);
    const models = await this.desk.models(minPosition);
    const task = await getImportedTask(models, readScope(scope), recordKey);
    await this.desk.refuseParked(scope, models, minPosition, isHistory);
    if (task === null) throw new DomainError('not_found', 'There is no such imported task.');
    return this.desk.importedTask(task);
  }
}
