import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import Database from 'better-sqlite3';
import { Agent, type Http } from './demo/agent.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

let running: RunningLedger;
let http: Http;
let agent: Agent;
/** What nobody caught in this process meanwhile. */
const uncaught: unknown[] = [];
const note = (error: unknown): void => void uncaught.push(error);

beforeAll(async () => {
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
  running = await startLedger();
  http = await running.client('agent:a', ['agent']);
  agent = new Agent(http, 's1');
  await agent.open();
});

afterAll(async () => {
  await running.stop();
  process.off('unhandledRejection', note);
  process.off('uncaughtException', note);
});

/** While it runs, a table of the ledger's file has another name: whoever needs it meets an error that nobody expects. */
async function without<T>(table: string, task: () => Promise<T>): Promise<T> {
  const db = new Database(join(running.directory, 'counterfoil.db'));
  db.pragma('legacy_alter_table = ON');
  const rename = (from: string, to: string): void => void db.exec(`ALTER TABLE "${from}" RENAME TO "${to}"`);
  rename(table, `${table}_away`);
  try {
    return await task();
  } finally {
    rename(`${table}_away`, table);
    db.close();
  }
}

const ask = (n: number): Promise<{ status: number; body: unknown }> =>
  http.raw(
    'POST',
    '/v1/sessions/s1/tool-calls',
    JSON.stringify({ callId: `call_${String(n)}`, turn: '1', tool: { source: 'builtin', name: 'run' }, arguments: { n } }),
  );

describe('a handler that throws (case 61)', () => {
  it('is one problem answer that quotes nothing; the next command is handled as if nothing had been', async () => {
    const failed = await without('events', () => Promise.all([1, 2, 3].map(ask)));
    for (const { status, body } of failed) {
      expect(status).toBeGreaterThanOrEqual(500);
      expect(JSON.stringify(body)).not.toMatch(/sqlite|table|events_away/i);
    }
    const before = await running.events();
    expect((await Promise.all([1, 2, 3].map(ask))).map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await running.events()).toBe(before + 3n);
    expect(uncaught).toEqual([]);
  });

  it('stops neither the other handlers nor the work in the background: what was recorded meanwhile is read afterwards', async () => {
    const tables = new Database(join(running.directory, 'counterfoil.db'), { readonly: true });
    const names = tables.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    tables.close();
    const documents = names.filter((name) => name.includes('receipts'));
    expect(documents).toHaveLength(1);
    const asked = await without(documents[0] ?? '', async () => {
      const recorded = await agent.request('2', 'while', 'run', {});
      expect((await http.raw('GET', '/v1/receipts')).status).toBeGreaterThanOrEqual(500);
      // The sweeper reads it, too, twice a second.
      while (!running.log.some((line) => line.includes('"work":"sweeper"'))) await sleep(20);
      return recorded;
    });
    const headers = { 'counterfoil-min-position': asked.position };
    for (let tries = 1; ; tries++) {
      const { status, body } = await http.raw('GET', `/v1/receipts/${asked.call.receiptId}`, undefined, headers);
      if (status === 503 && tries < 10) continue;
      expect([status, (body as { status: string }).status]).toEqual([200, 'requested']);
      break;
    }
    await agent.dispatch(asked, 1);
    expect((await agent.wait(asked, 20)).call.status).toBe('unknown');
    expect(uncaught).toEqual([]);
  }, 30_000);

  it('that is missing is the rejection of that command, or query, alone', async () => {
    const unknown = { nobody: 'handles this' };
    const commands = async (): Promise<unknown> => running.part(CommandBus).execute<object, unknown>(unknown);
    const queries = async (): Promise<unknown> => running.part(QueryBus).execute<object, unknown>(unknown);
    for (const execute of [commands, queries]) await expect(execute()).rejects.toThrow(/handler/i);
    expect((await ask(9)).status).toBe(201);
    expect(uncaught).toEqual([]);
  });
});
