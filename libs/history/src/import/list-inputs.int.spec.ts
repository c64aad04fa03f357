import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { temporaryDirectory } from '@counterfoil/testing';
import { oldDatabase } from '../testing/sqlite/old-database.js';
import { listInputs } from './list-inputs.js';

const path = temporaryDirectory();

async function listed(...paths: readonly string[]): Promise<string[]> {
  return (await listInputs(paths)).map((input) => (input.path === '-' ? '-' : relative(path('.'), input.path)));
}

describe('listInputs', () => {
  it('lists what is in a folder, sorted by name, at any depth', async () => {
    for (const folder of ['b/y', 'b/empty', 'a.d']) await mkdir(path(folder), { recursive: true });
    for (const name of ['b/2', 'b/10', 'b/y/z', 'c', 'a.d/q', 'a']) await writeFile(path(name), '');
    expect(await listed(path('.'))).toEqual(['a', 'a.d/q', 'b/10', 'b/2', 'b/y/z', 'c']);
  });

  it('passes over hidden entries, links, and what is no file', async () => {
    await mkdir(path('in/.hidden'), { recursive: true });
    for (const name of ['in/.hidden/a', 'in/.b', 'in/c', 'outside']) await writeFile(path(name), '');
    await symlink(path('outside'), path('in/link'));
    await symlink(path('in'), path('in/loop'));
    execFileSync('sh', ['-c', 'mkfifo "$0"', path('in/pipe')]);
    expect(await listed(path('in'))).toEqual(['in/c']);
  });

  it('takes what is named as it is named: hidden, a link, missing, standard input', async () => {
    await writeFile(path('.hidden'), '');
    await mkdir(path('folder'));
    await writeFile(path('folder/a'), '');
    await symlink(path('folder'), path('link'));
    expect(await listed(path('none'), '-', path('.hidden'), path('link'), path('.hidden'))).toEqual([
      'none',
      '-',
      '.hidden',
      'link/a',
      '.hidden',
    ]);
  });

  it('leaves out what SQLite keeps beside a database, and nothing else that is named so', async () => {
    const db = oldDatabase(path('old.db'), { log: true });
    for (const name of ['old.db-journal', 'notes', 'notes-wal', 'alone-shm']) await writeFile(path(name), '');
    expect(await listed(path('.'))).toEqual(['alone-shm', 'notes', 'notes-wal', 'old.db']);
    expect(await listed(path('old.db-wal'), path('old.db'), path('notes-wal'))).toEqual(['old.db', 'notes-wal']);
    db.close();
  });

  it('says which folder cannot be read, and goes on', async () => {
    // Nested so deep that its path is longer than the system takes.
    const name = 'x'.repeat(200);
    execFileSync('sh', [
      '-c',
      `cd "$0" && for n in $(seq 19); do mkdir ${name} && cd ${name}; done && mkdir -p ${name}/${name}`,
      path('.'),
    ]);
    await writeFile(path('z'), '');
    const found = await listInputs([path('.')]);
    expect(found).toHaveLength(2);
    expect(found[0]).toMatchObject({ failure: { code: 'read_failed', message: 'The folder cannot be read.' } });
    expect(found[1]).toEqual({ path: path('z'), failure: null });
    execFileSync('sh', ['-c', 'rm -rf "$0"', path(name)]);
  });
});
