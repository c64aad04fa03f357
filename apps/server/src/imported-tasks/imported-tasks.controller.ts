import { Controller, Get, Inject, Param, Query, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { minPosition } from '../http/min-position.js';
import { scopeOf, type LedgerRequest } from '../http/request.js';
import { GetImportedTaskQuery } from './queries.js';

/** Tasks from before Counterfoil, one by one; GET /v1/tasks?provenance=imported lists them. No route changes one. */
@Controller('v1/imported-tasks')
export class ImportedTasksController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get(':id')
  async get(@Req() request: LedgerRequest, @Param('id') recordKey: string, @Query() query: unknown): Promise<unknown> {
    return this.queries.execute(new GetImportedTaskQuery(scopeOf(request), minPosition(request), recordKey, query));
  }
}
