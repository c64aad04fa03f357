import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { DomainError } from '@counterfoil/contracts';
import { openLedger, readSettings, type Ledger } from '@counterfoil/ledger';
import { anybody, originOf, type Contest } from './race.js';

/** One of the racing processes: dispatches every call, many at once, and counts how often it was let through. */
const AT_ONCE = 32;

async function run(): Promise<void> {
  const ledger = await openLedger(readSettings(process.env), { createKeys: false });
  const go = once(process, 'message');
  process.send?.('ready');
  const [contests] = (await go) as [readonly Contest[]];
  const queue = [...contests];
  let wins = 0;
  const work = async (): Promise<void> => {
    for (let contest = queue.shift(); contest !== undefined; contest = queue.shift()) if (await tryToDispatch(ledger, contest)) wins++;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await ledger.close();
  process.send?.(wins);
  process.disconnect();
}

void run();

async function tryToDispatch(ledger: Ledger, { sessionId, receiptId, operationId }: Contest): Promise<boolean> {
  const command = {
    type: 'DispatchToolCall',
    receiptId,
    attempt: randomUUID(),
    named: { operationId },
    before: null,
    leaseSeconds: 86_400,
  } as const;
  for (;;) {
    try {
      await ledger.sessions.handle({ workspaceId: 'default', sessionId }, command, originOf('agent:race'), anybody, () => null);
      return true;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.code === 'already_dispatched') return false;
      // Too much contention is answered with "try again", and so it is tried again.
      if (error.code !== 'contention' && error.code !== 'store_unavailable') throw error;
    }
  }
}
