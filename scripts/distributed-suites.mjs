// For who has Docker with Compose: starts one node of each store of docker-compose.yml, in a project and on ports of its own, runs the
// suites of both adapters over them, prints what passed, and removes what it started: node scripts/distributed-suites.mjs [JEST ARGUMENTS]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { ALL_TO_STDERR, ChildFailed, run, runJest, runMain } from './support/process.mjs';
import { inRoot, say } from './support/root.mjs';

const SUITES = [
  { store: 'EventStoreDB', variable: 'COUNTERFOIL_TEST_EVENTSTORE_URL', specs: 'libs/event-store/src/eventstoredb/' },
  { store: 'MongoDB', variable: 'COUNTERFOIL_TEST_MONGODB_URL', specs: 'libs/read-models/src/mongodb/' },
];
const HEALTHY_WITHIN_S = 300;

const project = `counterfoil-suites-${String(process.pid)}`;
const compose = (...args) => ['compose', '--project-name', project, '--file', inRoot('docker-compose.yml'), ...args];

function hasCompose() {
  return spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' }).status === 0;
}

/** Free now; whoever takes it before Docker does makes the start fail. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

async function startStores(env) {
  say(`Starting the stores (project ${project}, EventStoreDB on port ${env.EVENTSTORE_PORT}, MongoDB on port ${env.MONGO_PORT})`);
  const args = compose('up', '--detach', '--wait', '--wait-timeout', String(HEALTHY_WITHIN_S), 'eventstore-1', 'mongo-1');
  await run('docker', args, { stdio: ALL_TO_STDERR, env });
  const replicaSet = {
    MONGO_NODE_URL: `mongodb://127.0.0.1:${env.MONGO_PORT}/`,
    MONGO_REPLICA_SET: 'counterfoil',
    MONGO_MEMBERS: 'mongo-1:27017',
  };
  await run(process.execPath, [inRoot('docker/prepare-mongo.mjs')], { stdio: ALL_TO_STDERR, env: { ...env, ...replicaSet } });
}

/** Runs the specs of one store, also after those of another failed. */
async function runSuite({ store, variable, specs }, url, folder) {
  const file = path.join(folder, `${store}.json`);
  process.env[variable] = url;
  let ended = true;
  try {
    await runJest([specs, '--selectProjects', 'integration', '--json', `--outputFile=${file}`, ...process.argv.slice(2)]);
  } catch (error) {
    if (!(error instanceof ChildFailed) || error.signal) throw error;
    ended = false;
  } finally {
    delete process.env[variable];
  }
  return { store, ended, ...readReport(file) };
}

function readReport(file) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    const skipped = tests.filter(({ status }) => status === 'pending').map(({ fullName }) => fullName);
    return { passed: report.numPassedTests, failed: report.numFailedTests + report.numRuntimeErrorTestSuites, skipped };
  } catch {
    // Jest ended before it wrote one.
    return { passed: 0, failed: 1, skipped: [] };
  }
}

/** A suite in which nothing passed has proved nothing. */
const isGood = ({ ended, passed, failed }) => ended && failed === 0 && passed > 0;

function tell({ store, passed, failed, skipped }) {
  for (const name of skipped) say(`skipped  ${store}: ${name}`);
  console.log(`${store}: ${String(passed)} passed, ${String(failed)} failed, ${String(skipped.length)} skipped`);
}

async function suitesOverStores() {
  const env = { ...process.env, EVENTSTORE_PORT: await freePort(), MONGO_PORT: await freePort() };
  const folder = mkdtempSync(path.join(tmpdir(), 'counterfoil-suites-'));
  try {
    await startStores(env);
    const urls = [`esdb://127.0.0.1:${env.EVENTSTORE_PORT}?tls=false`, `mongodb://127.0.0.1:${env.MONGO_PORT}/?directConnection=true`];
    const results = [];
    for (const [at, suite] of SUITES.entries()) results.push(await runSuite(suite, urls[at], folder));
    results.forEach(tell);
    if (!results.every(isGood)) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await run('docker', compose('down', '--volumes', '--timeout', '20'), { stdio: ALL_TO_STDERR, env });
  }
}

await runMain(async () => {
  if (!hasCompose()) {
    say(
      'This needs Docker with its Compose plugin (`docker compose version` must answer), and neither is required for anything else here.',
    );
    process.exitCode = 2;
    return;
  }
  await bootstrap();
  await suitesOverStores();
});
