// `npm run test:mongo`: installs and starts the MongoDB-wire test servers that this machine can run, and runs the specs that use them.
// With COUNTERFOIL_TEST_MONGODB_URL set it runs them over that MongoDB instead. Arguments go to jest.
import { bootstrap } from './bootstrap.mjs';
import { isGiven, withTestServers } from './mongo/for-tests.mjs';
import { install, labelOf, lacks, NAMES } from './mongo/servers.mjs';
import { runJest, runMain } from './support/process.mjs';
import { say } from './support/root.mjs';

/** @returns {Promise<boolean>} whether there is a server to test with */
async function installWhatCanBe() {
  let any = false;
  for (const name of NAMES) {
    const tool = lacks(name);
    if (tool === null) {
      await install(name);
      any = true;
    } else {
      say(`Test server ${labelOf(name)} is left out: this machine lacks ${tool}.`);
    }
  }
  return any;
}

await runMain(async () => {
  await bootstrap();
  if (!isGiven() && !(await installWhatCanBe())) {
    say('There is no MongoDB to test with. Set COUNTERFOIL_TEST_MONGODB_URL to the connection string of one.');
    process.exitCode = 1;
    return;
  }
  await withTestServers(() => runJest(['mongodb', '--selectProjects', 'unit', 'integration', ...process.argv.slice(2)]));
});
