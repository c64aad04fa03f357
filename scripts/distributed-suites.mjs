// For who has Docker with Compose: starts one node of each store of docker-compose.yml, in a project and on ports of its own, runs the
// suites of both adapters and the end-to-end specs over them, prints what passed, and removes what it started: node scripts/distributed-suites.mjs [JEST ARGUMENTS]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { DISTRIBUTED, specsOverAnyStores } from './support/end-to-end.mjs';
import { ALL_TO_STDERR, ChildFailed, run, runJest, runMain } from './support/process.mjs';
import { inRoot, say } from './support/root.mjs';

/** @param {{ COUNTERFOIL_TEST_EVENTSTORE_URL: string, COUNTERFOIL_TEST_MONGODB_URL: string }} urls by which the specs find the stores */
function suitesOver({ COUNTERFOIL_TEST_EVENTSTORE_URL, COUNTERFOIL_TEST_MONGODB_URL }) {
  const [events, documents] = [{ COUNTERFOIL_TEST_EVENTSTORE_URL }, { COUNTERFOIL_TEST_MONGODB_URL }];
  return [
    { name: 'EventStoreDB', env: events, project: 'integration', specs: ['libs/event-store/src/eventstoredb/'] },
    { name: 'MongoDB', env: documents, project: 'integration', specs: ['libs/read-models/src/mongodb/'] },
    { name: 'End to end', env: { ...events, ...documents, ...DISTRIBUTED }, project: 'e2e', specs: specsOverAnyStores() },
  ];
}
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

/** Runs one suite, also after another has failed. */
async function runSuite({ name, env, project: jestProject, specs }, folder) {
  const file = path.join(folder, `${name}.json`);
  Object.assign(process.env, env);
  let ended = true;
  try {
    await runJest([...specs, '--selectProjects', jestProject, '--json', `--outputFile=${file}`, ...process.argv.slice(2)]);
  } catch (error) {
    if (!(error instanceof ChildFailed) || error.signal) throw error;
    ended = false;
  } finally {
    for (const variable of Object.keys(env)) delete process.env[variable];
  }
  return { name, ended, ...readReport(file) };
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

function tell({ name, passed, failed, skipped }) {
  for (const test of skipped) say(`skipped  ${name}: ${test}`);
  console.log(`${name}: ${String(passed)} passed, ${String(failed)} failed, ${String(skipped.length)} skipped`);
}

async function suitesOverStores() {
  const env = { ...process.env, EVENTSTORE_PORT: await freePort(), MONGO_PORT: await freePort() };
  const folder = mkdtempSync(path.join(tmpdir(), 'counterfoil-suites-'));
  try {
    await startStores(env);
    const suites = suitesOver({
      COUNTERFOIL_TEST_EVENTSTORE_URL: `esdb://127.0.0.1:${env.EVENTSTORE_PORT}?tls=false`,
      COUNTERFOIL_TEST_MONGODB_URL: `mongodb://127.0.0.1:${env.MONGO_PORT}/?directConnection=true`,
    });
    const results = [];
    for (const suite of suites) results.push(await runSuite(suite, folder));
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
