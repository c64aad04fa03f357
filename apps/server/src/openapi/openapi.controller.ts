import { Controller, Get, Header } from '@nestjs/common';
import { describeApi } from './document.js';
import { ROUTE_ENTRIES } from './routes/index.js';

/** Of the API, not of the program: it changes when the API does. */
const API_VERSION = '1.0.0';

@Controller('openapi.json')
export class OpenApiController {
  private text: string | null = null;

  /** Made when it is first asked for, and kept. */
  @Get()
  @Header('content-type', 'application/json; charset=utf-8')
  get(): string {
    return (this.text ??= JSON.stringify(describeApi(ROUTE_ENTRIES, API_VERSION)));
  }
}
