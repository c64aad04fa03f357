// `npm test`: installs, builds (the end-to-end tests run what was built), then runs jest. Arguments go to jest.
import { bootstrap } from './bootstrap.mjs';
import { build } from './build.mjs';
import { withTestServers } from './mongo/for-tests.mjs';
import { runJest, runMain } from './support/process.mjs';

await runMain(async () => {
  await bootstrap();
  await build();
  await withTestServers(() => runJest(process.argv.slice(2)));
});
