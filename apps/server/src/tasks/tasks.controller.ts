import { Controller, Get, Inject, Param, Query, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { minPosition } from '../http/min-position.js';
import { scopeOf, type LedgerRequest } from '../http/request.js';
import { FindTasksQuery, GetTaskQuery } from './queries.js';

@Controller('v1')
export class TasksController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get('tasks')
  async find(@Req() request: LedgerRequest, @Query() query: unknown): Promise<unknown> {
    return this.queries.execute(new FindTasksQuery(scopeOf(request), minPosition(request), query));
  }

  /** A task of the active plan, or with `plan=` of another plan of the session. */
  @Get('sessions/:s/tasks/:t')
  async get(
    @Req() request: LedgerRequest,
    @Param('s') sessionId: string,
    @Param('t') taskId: string,
    @Query() query: unknown,
  ): Promise<unknown> {
    return this.queries.execute(new GetTaskQuery(scopeOf(request), minPosition(request), sessionId, taskId, query));
  }
}
