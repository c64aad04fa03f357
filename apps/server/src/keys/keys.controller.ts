import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { CreateKeyBody } from '@counterfoil/contracts';
import { JsonBodyPipe } from '../http/json-body.pipe.js';
import { scopeOf, type LedgerRequest } from '../http/request.js';
import { CreateKeyCommand, ListKeysQuery, RevokeKeyCommand } from './handlers.js';

@Controller('v1/keys')
export class KeysController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(QueryBus) private readonly queries: QueryBus,
  ) {}

  @Post()
  @HttpCode(201)
  async create(@Req() request: LedgerRequest, @Body(new JsonBodyPipe(CreateKeyBody)) body: CreateKeyBody): Promise<unknown> {
    return this.commands.execute(new CreateKeyCommand(scopeOf(request), body));
  }

  @Get()
  async list(@Req() request: LedgerRequest): Promise<unknown> {
    return this.queries.execute(new ListKeysQuery(scopeOf(request)));
  }

  @Delete(':id')
  async revoke(@Req() request: LedgerRequest, @Param('id') id: string): Promise<unknown> {
    return this.commands.execute(new RevokeKeyCommand(scopeOf(request), id));
  }
}
