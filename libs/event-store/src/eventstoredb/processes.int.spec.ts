import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeWithSwitches, eachServer } from '@counterfoil/testing';

const run = promisify(execFile);
const CHILD = join(import.meta.dirname, 'process.child.ts');

/** Runs until the process ends by itself; a handle that it left open would keep it. */
async function report(...args: readonly string[]): Promise<unknown> {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stdout } = await run(process.execPath, ['--import', 'tsx', CHILD, ...args], { env, timeout: 50_000 });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as unknown;
}

describe('stack.md, @eventstore/db-client row 9: a process has one client of its kind', () => {
  it('and none where events are kept in a file: the client is not even loaded', async () => {
    expect(await report('embedded')).toEqual({ loaded: false });
  });
});

describeWithSwitches('a process that has a store in EventStoreDB', () => {
  const { server } = eachServer();

  it('ends by itself once the store is closed, whatever was read or waited for', async () => {
    expect(await report('store', server().connectionString)).toEqual({ loaded: true, revision: '0', subscription: 'store_unavailable' });
  });
});
