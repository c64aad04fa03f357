import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that only this user can look into (0700): what is put there is not redacted yet. */
export class TemporaryFolder {
  private constructor(private readonly path: string) {}

  /** @param parent default: the system's folder for such things */
  static async create(parent = tmpdir()): Promise<TemporaryFolder> {
    return new TemporaryFolder(await mkdtemp(join(parent, 'counterfoil-import-')));
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** With all that is in it. Again: nothing. */
  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
