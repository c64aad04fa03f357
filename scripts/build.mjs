// Builds the apps that nest-cli.json lists, if their sources are not those that dist was built from. --force builds anew.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { bootstrap } from './bootstrap.mjs';
import { withLock } from './support/lock.mjs';
import { ALL_TO_STDERR, isMain, runInstalled, runMain } from './support/process.mjs';
import { inRoot, say } from './support/root.mjs';
import { filesIn, hasStamp, hashFiles, writeStamp } from './support/stamp.mjs';

const stampFile = inRoot('dist/.counterfoil-stamp');

/**
 * @param {string} app as named in nest-cli.json
 * @returns {string} the file to run
 */
export const entryOf = (app) => inRoot(`dist/apps/${app}/src/main.js`);

/** @param {{force?: boolean}} [options] `force` removes dist first */
export async function build({ force = false } = {}) {
  if (!force && isBuilt(sourceHash())) return;
  await withLock('build', async () => {
    // Hashed before the build: what is edited while it runs is then seen as not built yet.
    const hash = sourceHash();
    if (!force && isBuilt(hash)) return;
    if (force) rmSync(inRoot('dist'), { recursive: true, force: true });
    // While it builds (or if it fails) dist is neither the old nor the new one.
    rmSync(stampFile, { force: true });
    say(`Building ${apps().join(', ')}`);
    await runInstalled('@nestjs/cli/bin/nest.js', ['build', ...apps()], { stdio: ALL_TO_STDERR });
    writeStamp(stampFile, hash);
  });
}

const apps = () => Object.keys(JSON.parse(readFileSync(inRoot('nest-cli.json'), 'utf8')).projects);

const isBuilt = (hash) => hasStamp(stampFile, hash) && apps().every((app) => existsSync(entryOf(app)));

function sourceHash() {
  const isSource = (name) => !name.endsWith('.spec.ts');
  const settings = ['nest-cli.json', 'package.json', 'package-lock.json', 'tsconfig.json'];
  return hashFiles([...filesIn('apps', isSource), ...filesIn('libs', isSource), ...settings]);
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    await bootstrap();
    await build({ force: process.argv.includes('--force') });
  });
}
