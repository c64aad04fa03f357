// `npm run test:distributed`: the end-to-end specs over a ledger whose events are in EventStoreDB (the test server of libs/testing) and
// whose read models are in MongoDB (as for `npm run test:mongo`), brought up to date by a projector. Arguments go to jest.
import { bootstrap } from './bootstrap.mjs';
import { hasServer, withTestServers } from './mongo/for-tests.mjs';
import { DISTRIBUTED, specsOverAnyStores } from './support/end-to-end.mjs';
import { runJest, runMain } from './support/process.mjs';

await runMain(async () => {
  await bootstrap();
  if (!(await hasServer())) return;
  Object.assign(process.env, DISTRIBUTED);
  await withTestServers(() => runJest([...specsOverAnyStores(), '--selectProjects', 'e2e', ...process.argv.slice(2)]));
});
