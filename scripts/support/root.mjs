import { fileURLToPath } from 'node:url';
import path from 'node:path';

/** The root folder of the repository. (`import.meta.dirname` would not exist on the old Nodes that bootstrap must still greet.) */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** @param {...string} parts path below the root */
export const inRoot = (...parts) => path.join(root, ...parts);

/** Everything these scripts say goes to stderr, so that the stdout of the program that they start stays its own. */
export const say = (text) => process.stderr.write(`${text}\n`);
