import { say } from '../support/root.mjs';
import { install, isInstalled, labelOf, lacks, NAMES, start } from './servers.mjs';

/** Where the specs find a MongoDB that somebody else runs: then no test server is started. */
const GIVEN = 'COUNTERFOIL_TEST_MONGODB_URL';
const variableOf = (name) => `COUNTERFOIL_TEST_MONGODB_${name}`;

export const isGiven = () => (process.env[GIVEN] ?? '') !== '';

/**
 * Runs `work` with the installed test servers started, and named in the environment; says which ones are not there, and why.
 * @param {() => Promise<void>} work
 */
export async function withTestServers(work) {
  const started = [];
  try {
    if (!isGiven()) {
      for (const name of NAMES) {
        if (isInstalled(name)) {
          const server = await start(name);
          started.push(server);
          process.env[variableOf(name)] = server.url;
        } else {
          say(`Specs over MongoDB-wire server ${labelOf(name)} are skipped: it isn't installed. ${howTo(name)}`);
        }
      }
    }
    await work();
  } finally {
    await Promise.all(started.map((server) => server.stop()));
  }
}

function howTo(name) {
  const tool = lacks(name);
  return tool === null ? '`npm run test:mongo` installs it.' : `\`npm run test:mongo\` would install it, but needs ${tool}.`;
}

/**
 * Installs the test servers that this machine can run, unless a MongoDB was given; says so, and makes the program end with 1, where there
 * is none to test with.
 * @returns {Promise<boolean>}
 */
export async function hasServer() {
  if (isGiven() || (await installWhatCanBe())) return true;
  say('There is no MongoDB to test with. Set COUNTERFOIL_TEST_MONGODB_URL to the connection string of one.');
  process.exitCode = 1;
  return false;
}

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
