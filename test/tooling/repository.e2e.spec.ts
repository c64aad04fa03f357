import { readFileSync } from 'node:fs';
import path from 'node:path';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}
interface LockFile {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly hasInstallScript?: boolean; readonly optional?: boolean }>
  >;
}

const read = (file: string): string => readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;
const lock = JSON.parse(read('package-lock.json')) as LockFile;

describe('the repository installs the same everywhere', () => {
  it('names no registry in the lock file', () => {
    expect(read('package-lock.json')).not.toContain('"resolved"');
  });

  it('pins every direct dependency to one version, which is the locked one', () => {
    const direct = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    const locked = direct.map(([name]) => [name, lock.packages[`node_modules/${name}`]?.version]);
    expect(direct).toEqual(locked);
  });

  it('says of every package with an install script whether it may run, and lets only better-sqlite3 run it', () => {
    const withScript = Object.entries(lock.packages)
      .filter(([, entry]) => entry.hasInstallScript === true && entry.optional !== true)
      .map(([name]) => name.replace(/^.*node_modules\//, ''));
    expect(Object.keys(manifest.allowScripts)).toEqual(expect.arrayContaining(withScript));
    expect(Object.entries(manifest.allowScripts).filter(([, allowed]) => allowed)).toEqual([['better-sqlite3', true]]);
  });
});
