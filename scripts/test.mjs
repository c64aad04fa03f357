// `npm test`: installs, builds (the end-to-end tests run what was built), then runs jest. Arguments go to jest.
import { bootstrap } from './bootstrap.mjs';
import { build } from './build.mjs';
import { runInstalled, runMain } from './support/process.mjs';

// Jest loads ES modules through a Node interface that is still behind a flag, and warned about in every worker.
const nodeFlags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

await runMain(async () => {
  await bootstrap();
  await build();
  await runInstalled('jest/bin/jest.js', process.argv.slice(2), { nodeFlags });
});
