import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { inRoot, root } from './root.mjs';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const SHELL_POLL_MS = 250;

/** How a child that was started by these scripts ended when it did not end well. */
export class ChildFailed extends Error {
  constructor(what, code, signal) {
    super(`${what} ended with ${signal ?? `exit code ${String(code)}`}`);
    this.code = code;
    this.signal = signal;
  }
}

/**
 * Runs a program in the root folder and waits for its end; signals that we get are passed on to it.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options] stdio is inherited unless said otherwise
 * @returns {Promise<void>} rejects with ChildFailed unless it exits with 0
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
    const forward = (signal) => child.kill(signal);
    for (const signal of FORWARDED) process.on(signal, forward);
    const done = (settle) => {
      for (const signal of FORWARDED) process.off(signal, forward);
      settle();
    };
    child.once('error', (error) => done(() => reject(error)));
    child.once('exit', (code, signal) => {
      done(() => (code === 0 ? resolve() : reject(new ChildFailed(`${command} ${args[0] ?? ''}`, code, signal))));
    });
  });
}

/** stdio for steps whose output must not reach our stdout. */
export const ALL_TO_STDERR = ['ignore', 2, 2];

/**
 * Runs the file of an installed package with this Node. (Not through node_modules/.bin: those are shell files on Windows.)
 * @param {string} file below node_modules
 * @param {string[]} args
 * @param {{nodeFlags?: string[], stdio?: import('node:child_process').StdioOptions}} [options]
 */
export function runInstalled(file, args, { nodeFlags = [], stdio = 'inherit' } = {}) {
  return run(process.execPath, [...nodeFlags, inRoot('node_modules', file), ...args], { stdio });
}

// Jest loads ES modules through a Node interface that is still behind a flag, and warned about in every worker.
const JEST_FLAGS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

/** @param {string[]} args of jest */
export const runJest = (args) => runInstalled('jest/bin/jest.js', args, { nodeFlags: JEST_FLAGS });

/**
 * @param {string} moduleUrl the caller's import.meta.url, which is free of symbolic links, unlike the path that Node was given
 * @returns {boolean} whether the caller is the script that Node was started with
 */
export function isMain(moduleUrl) {
  const script = process.argv[1];
  return script !== undefined && pathToFileURL(realpathSync(script)).href === moduleUrl;
}

/**
 * npm sends SIGTERM and SIGINT only to the shell that it started us in, and many shells die of it without passing it on.
 * Under npm (and npx) the death of that shell is therefore taken as the signal: else `npm start` would leave the server running.
 */
function endWithNpmShell() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, SHELL_POLL_MS);
  watch.unref();
}

/**
 * Runs the main function of a script; a failed child ends this process in the same way, with the same code or signal.
 * @param {() => Promise<void>} main
 */
export async function runMain(main) {
  endWithNpmShell();
  try {
    await main();
  } catch (error) {
    if (!(error instanceof ChildFailed)) throw error;
    process.stderr.write(`${error.message}\n`);
    if (error.signal) process.kill(process.pid, error.signal);
    process.exitCode = error.code || 1;
  }
}
