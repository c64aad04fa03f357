// `npm run test:mongo`: installs and starts the MongoDB-wire test servers that this machine can run, and runs the specs that use them.
// With COUNTERFOIL_TEST_MONGODB_URL set it runs them over that MongoDB instead. Arguments go to jest.
import { bootstrap } from './bootstrap.mjs';
import { hasServer, withTestServers } from './mongo/for-tests.mjs';
import { runJest, runMain } from './support/process.mjs';

await runMain(async () => {
  await bootstrap();
  if (!(await hasServer())) return;
  await withTestServers(() => runJest(['mongodb', '--selectProjects', 'unit', 'integration', ...process.argv.slice(2)]));
});
