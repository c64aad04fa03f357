// Runs a TypeScript program of this repository, on an installed and built ledger: node scripts/run.mjs FILE [ARGUMENTS]
import { bootstrap } from './bootstrap.mjs';
import { build } from './build.mjs';
import { run, runMain } from './support/process.mjs';
import { inRoot } from './support/root.mjs';

const [file, ...args] = process.argv.slice(2);
await runMain(async () => {
  await bootstrap();
  await build();
  await run(process.execPath, ['--import', 'tsx', inRoot(file), ...args]);
});
