// Installs what package-lock.json names, if that is not what is installed. Plain Node: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { withLock } from './support/lock.mjs';
import { ALL_TO_STDERR, isMain, run, runMain } from './support/process.mjs';
import { inRoot, root, say } from './support/root.mjs';
import { hasStamp, hashFiles, writeStamp } from './support/stamp.mjs';

const OLDEST_NODE = [20, 19];
const stampFile = inRoot('node_modules/.counterfoil-stamp');

/** Makes sure that this Node is new enough and that the locked dependencies are installed and can be loaded by it. */
export async function bootstrap() {
  demandNode();
  const stamp = expectedStamp();
  if (hasStamp(stampFile, stamp)) return;
  await withLock('bootstrap', async () => {
    if (hasStamp(stampFile, stamp)) return;
    if (!alreadyInstalled() || !nativeModulesLoad()) await install();
    writeStamp(stampFile, stamp);
  });
}

function demandNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  say(`Counterfoil needs Node ${OLDEST_NODE.join('.')} or later; this is ${process.version} (${process.execPath}).`);
  process.exit(1);
}

/** Native modules are built for one ABI: after a change of Node the same lock file needs another installation. */
function expectedStamp() {
  return `${hashFiles(['package-lock.json'])} abi-${process.versions.modules} ${process.platform}-${process.arch}`;
}

/** Somebody may have run `npm ci` or `npm install` by hand; npm's own record of what is installed then agrees with the lock file. */
function alreadyInstalled() {
  const installed = packagesOf('node_modules/.package-lock.json');
  if (installed === null) return false;
  return Object.entries(packagesOf('package-lock.json') ?? {}).every(([name, entry]) => {
    if (name === '') return true;
    const there = installed[name];
    return there === undefined ? entry.optional === true : there.version === entry.version;
  });
}

function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(inRoot(lockFile), 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  }
}

/** In a process of its own: a module that was built for another Node may take the process that loads it down. */
function nativeModulesLoad() {
  const probe = `new (require('better-sqlite3'))(':memory:').close()`;
  return spawnSync(process.execPath, ['-e', probe], { cwd: root, stdio: 'ignore' }).status === 0;
}

async function install() {
  say('Installing the dependencies. Where better-sqlite3 has no ready-made binary it is compiled, which takes a minute or two.');
  const npm = npmCommand();
  // Development dependencies build the ledger, so they are needed under NODE_ENV=production, too.
  // Warnings are left out since some packages declare a newer Node than they need.
  await run(npm.command, [...npm.args, 'ci', '--include=dev', '--loglevel=error'], { stdio: ALL_TO_STDERR, shell: npm.shell });
  if (nativeModulesLoad()) return;
  say(
    'better-sqlite3 was installed but cannot be loaded. Compiling it needs python3, make and a C++ compiler; ' +
      'npm must also be allowed to run its install script (see "allowScripts" in package.json, and ignore-scripts in your .npmrc). ' +
      'To see what fails: npm rebuild better-sqlite3 --foreground-scripts',
  );
  process.exit(1);
}

/** The npm that runs us, else the one on the PATH (on Windows a command file, which needs a shell). */
function npmCommand() {
  const running = process.env.npm_execpath;
  if (running !== undefined && path.basename(running) === 'npm-cli.js') return { command: process.execPath, args: [running], shell: false };
  return { command: 'npm', args: [], shell: process.platform === 'win32' };
}

if (isMain(import.meta.url)) await runMain(bootstrap);
