import { Controller, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ImportRunId } from '@counterfoil/contracts';
import type { FastifyReply } from 'fastify';
import { minPosition } from '../http/min-position.js';
import { pathId } from '../http/path-id.js';
import { scopeOf, type LedgerRequest } from '../http/request.js';
import { validatedQuery } from '../http/validated-query.js';
import { ImportQuery, RunImportCommand } from './commands.js';
import type { ImportAnswer } from './import-desk.js';
import { FindImportsQuery, FindQuarantinedQuery, GetImportQuery } from './queries.js';

@Controller('v1/imports')
export class ImportsController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(QueryBus) private readonly queries: QueryBus,
  ) {}

  /** 201 when it added something, 200 when everything was imported before, or nothing is to be stored. */
  @Post()
  async run(
    @Req() request: LedgerRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Query() query: unknown,
  ): Promise<ImportAnswer> {
    const body = request.body === undefined ? null : request.raw;
    const command = new RunImportCommand(scopeOf(request), validatedQuery(ImportQuery, query), body, request.id);
    const answer = await this.commands.execute<RunImportCommand, ImportAnswer>(command);
    void reply.status(answer.eventsAdded > 0 && !answer.dryRun ? 201 : 200);
    return answer;
  }

  @Get()
  async find(@Req() request: LedgerRequest, @Query() query: unknown): Promise<unknown> {
    return this.queries.execute(new FindImportsQuery(scopeOf(request), minPosition(request), query));
  }

  @Get(':id')
  async get(@Req() request: LedgerRequest, @Param('id') id: string): Promise<unknown> {
    return this.queries.execute(new GetImportQuery(scopeOf(request), minPosition(request), runOf(id)));
  }

  @Get(':id/quarantined')
  async quarantined(@Req() request: LedgerRequest, @Param('id') id: string, @Query() query: unknown): Promise<unknown> {
    return this.queries.execute(new FindQuarantinedQuery(scopeOf(request), minPosition(request), runOf(id), query));
  }
}

const runOf = (id: string): string => pathId(ImportRunId, id, 'There is no such import.');
