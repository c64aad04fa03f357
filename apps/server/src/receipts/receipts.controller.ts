import { Controller, Get, Inject, Param, Query, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { minPosition } from '../http/min-position.js';
import { scopeOf, type LedgerRequest } from '../http/request.js';
import { FindReceiptsQuery, GetReceiptQuery } from './queries.js';

@Controller('v1/receipts')
export class ReceiptsController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get()
  async find(@Req() request: LedgerRequest, @Query() query: unknown): Promise<unknown> {
    return this.queries.execute(new FindReceiptsQuery(scopeOf(request), minPosition(request), query));
  }

  /** With `view=compat` in the keys of receipts from before Counterfoil: for rendering only. */
  @Get(':id')
  async get(@Req() request: LedgerRequest, @Param('id') id: string, @Query() query: unknown): Promise<unknown> {
    return this.queries.execute(new GetReceiptQuery(scopeOf(request), minPosition(request), id, query));
  }
}
