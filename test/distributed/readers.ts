import { setTimeout as sleep } from 'node:timers/promises';
import type { Callers } from './callers.js';
import type { Sender } from './sender.js';

const PAUSE_MS = 100;

/** Reads back, through any server, what was just acknowledged: by the position of its answer it must be there (promise 28). */
export class Readers {
  readonly faults: string[] = [];
  read = 0;
  /** Reads that were told to try again: the read models were behind, or not to be reached. */
  told = 0;

  constructor(
    private readonly sender: Sender,
    private readonly callers: Callers,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    for (let n = 0; !signal.aborted; n++) {
      const { latest } = this.callers;
      if (latest !== null) await this.readBack(n, latest);
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async readBack(server: number, { receiptId, status, position, revision }: NonNullable<Callers['latest']>): Promise<void> {
    const headers = { 'counterfoil-min-position': position };
    const answer = await this.sender.once(server, 'GET', `/v1/receipts/${receiptId}`, undefined, headers);
    if (answer === null || answer.status === 503) {
      this.told++;
      return;
    }
    this.read++;
    const found = answer.body as { status?: string; revision?: string };
    if (answer.status !== 200 || found.status !== status || BigInt(found.revision ?? -1) > revision)
      this.faults.push(`${receiptId} was acknowledged ${status} and reads as ${String(answer.status)} ${String(found.status)}`);
  }
}
