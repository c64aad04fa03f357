import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, ReceiptDocument } from '@counterfoil/contracts';
import { importPaths } from '@counterfoil/history';
import type { Http } from './demo/agent.js';
import { gen1Calls } from './history/scenes/gen1-calls.js';
import { gen1Tasks } from './history/scenes/gen1-tasks.js';
import { gen2 } from './history/scenes/gen2.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

const directory = mkdtempSync(join(tmpdir(), 'counterfoil-delegated-'));
const histories = [gen1Calls(), gen1Tasks(), gen2()];
const receiptNamed = (index: number, label: string): string => `receipt_${String(histories[index]?.id(label))}`;

let running: RunningLedger;
let auditor: Http;
let position: string;

beforeAll(async () => {
  const files = histories.flatMap((history) => {
    const lines = join(directory, `${history.name}.jsonl`);
    writeFileSync(lines, history.otherLines());
    return [lines, history.writeDatabase(join(directory, `${history.name}.sqlite3`))];
  });
  running = await startLedger();
  auditor = await running.client('person:auditor', ['auditor']);
  const { store, keys } = running.ledger;
  const actor = { principal: 'service:import', keyId: 'local' };
  const { total } = await importPaths(files, {
    store,
    workspaceId: 'default',
    actor,
    importKey: keys.importKey,
    importRun: 'run',
    stdin: nothing(),
    now: Date.now,
  });
  expect(total.imported).toBeGreaterThan(90);
  position = running.ledger.token(await running.ledger.store.head());
});

afterAll(async () => {
  await running.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** The receipts in a list of all that stand for an old one. */
async function listed(receiptId: string): Promise<readonly ReceiptDocument[]> {
  const found: ReceiptDocument[] = [];
  for (let cursor = ''; ;) {
    const path = `/v1/receipts?provenance=imported&limit=50${cursor}`;
    const page = await auditor.call<Page<ReceiptDocument>>('GET', path, undefined, { 'counterfoil-min-position': position });
    found.push(
      ...page.items.filter(({ provenance }) => provenance.kind === 'imported' && provenance.coordinates['receiptId'] === receiptId),
    );
    if (page.nextCursor === null) return found;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

const sightings = ({ provenance }: ReceiptDocument): unknown =>
  provenance.kind === 'imported' ? provenance.sightings.map(({ surface }) => surface) : null;

describe('a receipt that was recorded more than once', () => {
  it('by delegation in two workspaces is one receipt, with the task that the later record names', async () => {
    const [receipt, ...others] = await listed(receiptNamed(0, 'replayed'));
    expect(others).toEqual([]);
    expect(receipt).toMatchObject({
      status: 'succeeded',
      callId: `legacy:${receiptNamed(0, 'replayed')}`,
      association: { kind: 'recorded', taskId: 'task_replayed', basis: 'later_copy' },
      provenance: { coordinates: { workspaceId: 'default', sessionId: 'surface:cli' } },
    });
    expect(receipt && sightings(receipt)).toEqual(['execution.receipt']);
  });

  it('by a sub-agent, as an event of its own, and by its parent with a task is one', async () => {
    const [receipt, ...others] = await listed(receiptNamed(2, 'replayed'));
    expect(others).toEqual([]);
    expect(receipt).toMatchObject({ association: { taskId: 'task_of_parent', basis: 'later_copy' } });
    expect(receipt && sightings(receipt)).toEqual(['subagent.receipt', 'execution.receipt']);
  });

  it('in the stream and on the terminal too is one, which is the complete record', async () => {
    const [receipt, ...others] = await listed(receiptNamed(1, 'shown'));
    expect(others).toEqual([]);
    expect(receipt).toMatchObject({
      provenance: { surface: 'execution.receipt' },
      outcome: { exitCode: 0 },
      verification: { state: 'verified' },
    });
    expect([...(sightings(receipt ?? raise()) as string[])].sort()).toEqual(['stream', 'stream', 'terminal', 'terminal']);
  });

  it('in a task that the old rules found for it says so, and who said it', async () => {
    const [receipt, ...others] = await listed(receiptNamed(1, 'planned'));
    expect(others).toEqual([]);
    expect(receipt).toMatchObject({ association: { kind: 'recorded', basis: 'receipt' }, provenance: { surface: 'execution.receipt' } });
    expect(sightings(receipt ?? raise())).toEqual(['task.evidence']);
  });

  it('completes no task: what is imported is history', async () => {
    const tasks = await auditor.call<Page<unknown>>('GET', '/v1/tasks', undefined, { 'counterfoil-min-position': position });
    expect(tasks.items).toEqual([]);
  });
});

function raise(): never {
  throw new Error('there is no receipt');
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // Nothing comes from standard input.
}
