// Installs both MongoDB-wire test servers, or says what this machine lacks for it and fails: node scripts/mongo/install.mjs
import { runMain } from '../support/process.mjs';
import { say } from '../support/root.mjs';
import { install, labelOf, lacks, NAMES } from './servers.mjs';

await runMain(async () => {
  for (const name of NAMES) {
    const tool = lacks(name);
    if (tool === null) {
      await install(name);
    } else {
      say(`Test server ${labelOf(name)} needs ${tool}.`);
      process.exitCode = 1;
    }
  }
});
