import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshPrefix, startTestEventStoreDb, type TestEventStoreDb } from '@counterfoil/testing';
import { runCli } from './support/server-process.js';

/** Commands that open the stores themselves, and only look, or make what can be made again. */
const LOOKING = ['verify', 'verify --json', 'rebuild', 'rebuild --compare', 'imports', 'imports show run'];

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'counterfoil-no-ledger-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** Everything of the ledger lies in a folder that isn't there, or where the more says. */
const cli = (args: readonly string[], more: Readonly<Record<string, string>> = {}): ReturnType<typeof runCli> =>
  runCli(join(directory, 'mistyped'), args, more);

describe('where there is no ledger', () => {
  it.each(LOOKING)(
    '%s says so, and makes neither a ledger nor keys nor a directory',
    async (command) => {
      const { code, stdout, stderr } = await cli(command.split(' '));
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^counterfoil: ledger_missing: .*COUNTERFOIL_EVENTS.*\n$/);
      expect(readdirSync(directory)).toEqual([]);
    },
    60_000,
  );

  it.each(LOOKING)(
    '%s does the same where the folder is there, and makes no file in it',
    async (command) => {
      mkdirSync(join(directory, 'mistyped'));
      expect(await cli(command.split(' '))).toMatchObject({ code: 1, stderr: expect.stringContaining('ledger_missing') as unknown });
      expect(readdirSync(join(directory, 'mistyped'))).toEqual([]);
    },
    60_000,
  );

  it('verify needs no read models either, and makes none where they are said to be', async () => {
    await cli(['import', imported()]);
    const readModels = { COUNTERFOIL_READ_MODELS: `sqlite:${join(directory, 'elsewhere', 'models.db')}` };
    const { code, stdout } = await cli(['verify'], readModels);
    expect([code, stdout]).toEqual([0, expect.stringContaining('every chain holds')]);
    expect(readdirSync(directory)).not.toContain('elsewhere');
  }, 60_000);

  it('import makes one in a file, with its keys', async () => {
    expect(await cli(['import', imported()])).toMatchObject({ code: 0 });
    expect(readdirSync(join(directory, 'mistyped'))).toEqual(expect.arrayContaining(['counterfoil.db', 'keys']));
    expect(await cli(['verify'])).toMatchObject({ code: 0 });
  }, 60_000);
});

describe('rebuild --compare of a ledger that was imported and never projected', () => {
  it('says that there was nothing to compare with, and ends with 0', async () => {
    await cli(['import', imported()]);
    const first = await cli(['rebuild', '--compare']);
    expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/took the place of[^]*nothing to compare with/)]);
    const second = await cli(['rebuild', '--compare']);
    expect([second.code, second.stdout]).toEqual([0, expect.stringContaining('byte-equal')]);
  }, 60_000);
});

describe('under a mistyped stream prefix in EventStoreDB', () => {
  let eventStore: TestEventStoreDb;

  beforeEach(async () => {
    eventStore = await startTestEventStoreDb();
  });
  afterEach(() => eventStore.stop());

  it.each([...LOOKING, 'import old.jsonl'])(
    '%s makes no ledger, nor anything here',
    async (command) => {
      writeFileSync(join(directory, 'old.jsonl'), '{}\n');
      const prefix = freshPrefix();
      const given = command.split(' ').map((arg) => (arg === 'old.jsonl' ? join(directory, arg) : arg));
      const before = eventStore.log.length;
      const more = { COUNTERFOIL_EVENTS: eventStore.connectionString, COUNTERFOIL_STREAM_PREFIX: prefix };
      const { code, stderr } = await cli(given, more);
      expect(code).toBe(1);
      expect(stderr).toMatch(/counterfoil: ledger_missing: .*COUNTERFOIL_STREAM_PREFIX/);
      expect(stderr).toContain(prefix);
      expect(eventStore.log.length).toBe(before);
      expect(readdirSync(directory)).toEqual(['old.jsonl']);
    },
    60_000,
  );
});

function imported(): string {
  const file = join(directory, 'old.jsonl');
  writeFileSync(file, '{"cut": \n');
  return file;
}
