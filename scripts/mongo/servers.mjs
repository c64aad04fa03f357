// The two MongoDB-wire test servers (test/mongo/README.md): what they need, where they are installed, how they are started.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';
import { ALL_TO_STDERR, run } from '../support/process.mjs';
import { inRoot, say } from '../support/root.mjs';
import { hasStamp, hashFiles, writeStamp } from '../support/stamp.mjs';

const SOURCES = 'test/mongo';
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 5_000;

const folderOf = (name) => inRoot('node_modules/.cache/counterfoil/mongo', name);
const stampFile = (name) => path.join(folderOf(name), 'stamp');

/** The first number of a tool's version that stands after `pattern`, or null when there is no such tool. */
function version(command, args, pattern) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', shell: process.platform === 'win32' });
  if (status !== 0) return null;
  const found = pattern.exec(`${stdout}${stderr}`);
  return found === null ? null : found.slice(1).map(Number);
}

function lacksJava() {
  const [major = 0] = version('javac', ['-version'], /javac (\d+)/) ?? [];
  if (major < 17) return 'a JDK of version 17 or later';
  return version('mvn', ['--version'], /Maven (\d+)/) === null ? 'Maven' : null;
}

function lacksGo() {
  const [major = 0, minor = 0] = version('go', ['version'], /go(\d+)\.(\d+)/) ?? [];
  return major > 1 || (major === 1 && minor >= 24) ? null : 'Go of version 1.24 or later';
}

const SERVERS = {
  A: {
    label: 'A (mongo-java-server)',
    files: [`${SOURCES}/server-a/pom.xml`],
    lacks: lacksJava,
    async install(folder) {
      const target = `-DoutputDirectory=${path.join(folder, 'lib')}`;
      const pom = inRoot(SOURCES, 'server-a/pom.xml');
      await run('mvn', ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', target], { stdio: ALL_TO_STDERR });
    },
    command(folder) {
      // Quick to start, and content with one core: its tests are short.
      const flags = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xmx1g', '-cp', path.join(folder, 'lib', '*')];
      return ['java', [...flags, inRoot(SOURCES, 'server-a/MongoWireServer.java'), '0']];
    },
  },
  B: {
    label: 'B (FerretDB over SQLite)',
    files: ['go.mod', 'go.sum', 'main.go'].map((file) => `${SOURCES}/server-b/${file}`),
    lacks: lacksGo,
    async install(folder) {
      const args = ['build', '-mod=readonly', '-trimpath', '-buildvcs=false', '-o', path.join(folder, 'server'), '.'];
      const env = { ...process.env, CGO_ENABLED: '0' };
      await run('go', args, { stdio: ALL_TO_STDERR, cwd: inRoot(SOURCES, 'server-b'), env });
    },
    command: (folder, data) => [path.join(folder, 'server'), ['127.0.0.1:0', data]],
  },
};

export const NAMES = Object.keys(SERVERS);

/** @returns {string | null} the tool that this machine lacks to install the server */
export const lacks = (name) => SERVERS[name].lacks();
export const labelOf = (name) => SERVERS[name].label;
export const isInstalled = (name) => hasStamp(stampFile(name), hashFiles(SERVERS[name].files));

/** Downloads and builds a server; the first time takes up to a few minutes. */
export async function install(name) {
  if (isInstalled(name)) return;
  const { label, files, install: make } = SERVERS[name];
  say(`Installing test server ${label}`);
  rmSync(folderOf(name), { recursive: true, force: true });
  mkdirSync(folderOf(name), { recursive: true });
  await make(folderOf(name));
  writeStamp(stampFile(name), hashFiles(files));
}

/**
 * Starts an installed server on a free port of 127.0.0.1, over a folder of its own. It ends with this process, however that ends.
 * @returns {Promise<{url: string, stop: () => Promise<void>}>}
 */
export async function start(name) {
  const data = mkdtempSync(path.join(tmpdir(), 'counterfoil-mongo-'));
  const [command, args] = SERVERS[name].command(folderOf(name), data);
  // It ends when its input does. Signals of the terminal are ours to deal with: the tests end first.
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  child.stdin.on('error', () => undefined);
  const ended = new Promise((resolve) => child.once('close', resolve));
  const stop = async () => {
    child.stdin.end();
    const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await ended;
    clearTimeout(limit);
    rmSync(data, { recursive: true, force: true });
  };
  try {
    return { url: `mongodb://127.0.0.1:${await portOf(child, ended)}/`, stop };
  } catch (error) {
    child.kill('SIGKILL');
    await stop();
    throw new Error(`Test server ${SERVERS[name].label} did not start: ${error.message}`, { cause: error });
  }
}

/** The port that a server says it listens on. */
function portOf(child, ended) {
  let output = '';
  let errors = '';
  return new Promise((resolve, reject) => {
    const fail = (why) => {
      clearTimeout(limit);
      reject(new Error(`${why} ${errors.trim()}`));
    };
    const limit = setTimeout(() => fail('it took too long.'), START_LIMIT_MS);
    child.once('error', (error) => fail(error.message));
    void ended.then(() => fail('it ended.'));
    child.stderr.on('data', (text) => (errors = `${errors}${text}`.slice(-2000)));
    child.stdout.on('data', (text) => {
      output = `${output}${text}`.slice(-200);
      const port = /listening (\d+)/.exec(output)?.[1];
      if (port === undefined) return;
      clearTimeout(limit);
      resolve(port);
    });
  });
}
