import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importPaths } from '@counterfoil/history';
import { inFile, openLedger } from '@counterfoil/ledger';
import { everyHistory } from './history/all.js';
import { digests, PLANTED, secrets } from './history/scenes/secrets.js';
import { runCli, startServerProcess } from './support/server-process.js';

const directory = mkdtempSync(join(tmpdir(), 'counterfoil-secrets-'));
const path = (...names: string[]): string => join(directory, ...names);
const old = path('old');
const others = path('others');
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const history = secrets();

beforeAll(() => {
  mkdirSync(old);
  history.writeDatabase(join(old, 'secrets.sqlite3'));
  writeFileSync(join(old, 'rows.jsonl'), history.rowLines(false));
  writeFileSync(join(old, 'decoded.jsonl'), history.rowLines(true));
  writeFileSync(join(old, 'lines.jsonl'), history.otherLines());
  mkdirSync(others);
  for (const other of everyHistory()) other.writeDatabase(join(others, `${other.name}.sqlite3`));
});

/** What of the planted stands in a text. */
function plantedIn(text: string): readonly string[] {
  const found = text.matchAll(new RegExp(`.{0,60}${PLANTED}.{0,60}`, 'gs'));
  const lower = text.toLowerCase();
  return [...[...found].map(([around]) => around), ...digests().filter((digest) => lower.includes(digest))];
}

const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );

it('the planted secrets and their digests are in the old files', () => {
  const all = filesOf(old)
    .map((file) => readFileSync(file, 'latin1'))
    .join('');
  expect(plantedIn(all).length).toBeGreaterThan(300);
  for (const digest of digests()) expect(all.toLowerCase()).toContain(digest);
});

describe('an import of old databases with secrets in every place', () => {
  it('leaves none in any byte of the ledger, and none in its report', async () => {
    const folder = path('ledger');
    mkdirSync(folder);
    const file = join(folder, 'counterfoil.db');
    const ledger = await openLedger({ ...inFile(file), keysDirectory: join(folder, 'keys') }, { createKeys: true });
    const options = {
      store: ledger.store,
      workspaceId: 'default',
      actor: { principal: 'service:import', keyId: 'local' },
      importKey: ledger.keys.importKey,
      stdin: nothing(),
      now: Date.now,
    } as const;
    const dry = await importPaths([old, others], { ...options, importRun: 'dry', dryRun: true });
    const report = await importPaths([old, others], { ...options, importRun: 'run' });
    expect(dry.total.read).toBe(report.total.read);
    expect(report.files.every(({ error }) => error === null)).toBe(true);
    expect(report.total.imported).toBeGreaterThan(200);
    expect(report.total.quarantined).toBeGreaterThan(50);
    await ledger.engine.rebuild();
    await ledger.close();
    expect(plantedIn(JSON.stringify([dry.total, report.total]))).toEqual([]);
    for (const written of filesOf(folder)) expect([written, ...plantedIn(readFileSync(written, 'latin1'))]).toEqual([written]);
  });

  it('says none on the command line, in the log, or over HTTP', async () => {
    const folder = path('cli');
    mkdirSync(folder);
    const server = await startServerProcess(folder);
    const asking = { COUNTERFOIL_URL: server.url, COUNTERFOIL_API_KEY: server.adminKey };
    const said: string[] = [];
    for (const flags of [['--dry-run'], [], ['--json']]) {
      const { code, stdout, stderr } = await runCli(folder, ['import', old, ...flags]);
      expect([code, stderr.includes('rror')]).toEqual([0, false]);
      said.push(stdout, stderr);
    }
    const get = async (route: string): Promise<string> => {
      const response = await fetch(new URL(route, server.url), { headers: { authorization: `Bearer ${server.adminKey}` } });
      return response.text();
    };
    const { items } = JSON.parse(await get('/v1/imports')) as { items: readonly { importRun: string }[] };
    const run = items[0]?.importRun ?? '';
    said.push((await runCli(folder, ['imports', 'show', run], asking)).stdout, await get('/metrics'));
    expect(await server.end('SIGTERM')).toBe(0);
    said.push(server.log());
    expect(said.join('').length).toBeGreaterThan(2000);
    expect(said.flatMap(plantedIn)).toEqual([]);
    for (const written of filesOf(folder)) expect([written, ...plantedIn(readFileSync(written, 'latin1'))]).toEqual([written]);
  }, 120_000);
});

async function* nothing(): AsyncGenerator<Uint8Array> {
  // Nothing comes from standard input.
}
