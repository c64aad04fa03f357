import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot } from './root.mjs';

/**
 * @param {string[]} files paths below the root, each hashed with its name
 * @returns {string} SHA-256 in hex
 */
export function hashFiles(files) {
  const hash = createHash('sha256');
  for (const file of [...files].sort()) {
    const content = readFileSync(inRoot(file));
    hash.update(`${file}\0${String(content.length)}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * @param {string} folder below the root
 * @param {(name: string) => boolean} wanted
 * @returns {string[]} paths below the root, with forward slashes on every system
 */
export function filesIn(folder, wanted) {
  return readdirSync(inRoot(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && wanted(entry.name))
    .map((entry) => path.relative(inRoot(), path.join(entry.parentPath ?? entry.path, entry.name)).replaceAll('\\', '/'));
}

/** @returns {boolean} whether the stamp file holds exactly this text */
export function hasStamp(file, text) {
  try {
    return readFileSync(file, 'utf8').trim() === text;
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
    throw error;
  }
}

export function writeStamp(file, text) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${text}\n`);
}
