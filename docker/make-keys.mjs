// Makes the keys that all servers and projectors of a ledger share, where there are none. Keys that are there are never replaced: a ledger
// whose keys were lost doesn't start with new ones.
import { openFileKeyRing } from '../dist/libs/ledger/src/keys/file-key-ring.js';

const directory = process.env.COUNTERFOIL_KEYS;
if (!directory) throw new Error('COUNTERFOIL_KEYS must name the directory of the keys');
openFileKeyRing(directory, { create: true });
console.log(`The keys are in ${directory}.`);
