import { randomUUID } from 'node:crypto';
import { startLedger } from '../support/running-ledger.js';
import { Agent } from '../demo/agent.js';
import { percent } from './scene.js';

const CONNECTIONS = 32;

/** A command over HTTP on 32 connections, against a refused empty POST of the same server (which decides and records nothing). */
export async function benchHttp(say: (line: string) => void, requests: number): Promise<void> {
  const running = await startLedger();
  try {
    const http = await running.client('agent:bench', ['agent']);
    const sessions = Array.from({ length: CONNECTIONS }, (_, n) => new Agent(http, `h-${String(n)}`));
    for (const session of sessions) await session.open();
    const empty = await rate(requests, async () => http.raw('POST', '/v1/sessions', ''));
    const command = await rate(requests, async (worker, n) =>
      sessions[worker]?.request('1', `c-${String(n)}-${randomUUID()}`, 'read_file', { n }),
    );
    say(
      `http: ${command.perSecond.toFixed(0)} commands/s, p50 ${command.p50.toFixed(1)} ms, p99 ${command.p99.toFixed(1)} ms ` +
        `(${(command.p99 / command.p50).toFixed(1)} × p50, wanted under 10); empty POST ${empty.perSecond.toFixed(0)}/s; ` +
        `ratio ${percent(command.perSecond, empty.perSecond)} (wanted: 30 %)`,
    );
  } finally {
    await running.stop();
  }
}

async function rate(
  requests: number,
  send: (worker: number, n: number) => Promise<unknown>,
): Promise<{ readonly perSecond: number; readonly p50: number; readonly p99: number }> {
  const times: number[] = [];
  let next = 0;
  const started = performance.now();
  const work = async (worker: number): Promise<void> => {
    for (let n = next++; n < requests; n = next++) {
      const sent = performance.now();
      await send(worker, n);
      times.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, worker) => work(worker)));
  const perSecond = requests / ((performance.now() - started) / 1000);
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { perSecond, p50: at(0.5), p99: at(0.99) };
}
