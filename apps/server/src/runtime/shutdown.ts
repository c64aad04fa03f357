import { Injectable } from '@nestjs/common';

/** One signal for everything that waits or runs in the background: it aborts when the server stops. */
@Injectable()
export class Shutdown {
  private readonly controller = new AbortController();

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  begin(): void {
    this.controller.abort();
  }
}
