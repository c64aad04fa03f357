import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot, say } from './root.mjs';

const folder = inRoot('.cache');
const POLL_MS = 250;

/**
 * Runs `work` while no other process on this machine runs under the same name (two terminals, or tests that start the CLI).
 * The lock is a file that holds the owner's process id; that of a dead owner is taken over.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(name, work) {
  const file = inRoot('.cache', `${name}.lock`);
  mkdirSync(folder, { recursive: true });
  for (let attempt = 0; !take(file); attempt += 1) {
    if (attempt === 0) say(`Waiting for another process (.cache/${name}.lock)`);
    await sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (!ownerIsAlive(file)) discard(file);
  return false;
}

function ownerIsAlive(file) {
  const owner = Number(readIfThere(file));
  // Empty: its owner has made it and not yet written to it, or it has just gone. Either way, look again later.
  if (!Number.isInteger(owner) || owner <= 0) return true;
  try {
    process.kill(owner, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** A rename, not a removal: of several that see the same dead owner only one can move its file away. */
function discard(file) {
  const aside = `${file}.${String(process.pid)}`;
  try {
    renameSync(file, aside);
    rmSync(aside, { force: true });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}
