import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory of its own for each test of a group, which calls this once; gone afterwards. Answers paths in it. */
export function temporaryDirectory(): (name: string) => string {
  let directory: string | undefined;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-'));
  });
  afterEach(async () => {
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
    directory = undefined;
  });
  return (name) => {
    if (directory === undefined) throw new Error('the directory is there within a test only');
    return join(directory, name);
  };
}
