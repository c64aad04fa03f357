import { Controller, Get, Inject, Query, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { minPosition } from '../http/min-position.js';
import { scopeOf, type LedgerRequest } from '../http/request.js';
import { FindCopiesQuery } from './queries.js';

/** Copies of receipts that stood in other records of old systems. */
@Controller('v1/receipt-copies')
export class ReceiptCopiesController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get()
  async find(@Req() request: LedgerRequest, @Query() query: unknown): Promise<unknown> {
    return this.queries.execute(new FindCopiesQuery(scopeOf(request), minPosition(request), query));
  }
}
