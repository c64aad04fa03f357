import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FingerprintKey } from '@counterfoil/canonical';
import { LedgerStartError } from '../errors.js';
import type { KeyRing } from './key-ring.js';

const KEY_BYTES = 32;
const FINGERPRINT_FILE = /^fingerprint-(k[1-9][0-9]{0,3})\.key$/;
const IMPORT_FILE = 'import.key';
/** The secret of the first admin key; see makeFirstKey. */
export const ADMIN_KEY_FILE = 'admin.key';

/**
 * Writes a secret to a file that only its owner may read, unless the file is there already; several processes may try at once and all
 * go on with the one that won.
 */
export function writeSecretOnce(directory: string, name: string, secret: string): string {
  const file = join(directory, name);
  if (!existsSync(file)) {
    const draft = join(directory, `.${name}.${String(process.pid)}.${randomBytes(4).toString('hex')}`);
    writeFileSync(draft, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
    try {
      // A link fails where the file exists: the first writer wins, and nobody ever sees half a file.
      linkSync(draft, file);
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
    } finally {
      unlinkSync(draft);
    }
  }
  return readSecret(file);
}

function refuseOthers(path: string, repair: string): void {
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return;
  throw new LedgerStartError('keys_unreadable', `${path} may be used by others (mode ${mode.toString(8)}): run ${repair} on it.`);
}

function readSecret(file: string): string {
  refuseOthers(file, 'chmod 600');
  return readFileSync(file, 'utf8').trim();
}

/**
 * Opens the directory of the keys. `create` makes it and its files where they are absent: only on the first start of a ledger, since a
 * ledger must never start with other keys than it began with.
 *
 * @throws LedgerStartError `keys_missing`, `keys_unreadable`
 */
export function openFileKeyRing(directory: string, options: { readonly create: boolean }): KeyRing {
  if (options.create) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    chmodSync(directory, 0o700);
    writeSecretOnce(directory, 'fingerprint-k1.key', randomBytes(KEY_BYTES).toString('base64url'));
    writeSecretOnce(directory, IMPORT_FILE, randomBytes(KEY_BYTES).toString('base64url'));
  }
  const names = existsSync(directory) ? readdirSync(directory) : [];
  // Whoever may write there could put other keys in their place.
  if (names.length > 0) refuseOthers(directory, 'chmod 700');
  if (names.includes(ADMIN_KEY_FILE)) readSecret(join(directory, ADMIN_KEY_FILE));
  const keys = new Map<string, FingerprintKey>();
  for (const name of names) {
    const id = FINGERPRINT_FILE.exec(name)?.[1];
    if (id !== undefined) keys.set(id, { id, secret: decodeKey(join(directory, name)) });
  }
  const newest = [...keys.values()].sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1))).at(-1);
  if (newest === undefined || !names.includes(IMPORT_FILE)) {
    const detail = `The keys of this ledger are not in ${directory}: put them back, or set COUNTERFOIL_KEYS.`;
    // Of a new ledger whose events are in EventStoreDB no server makes the first ones.
    throw new LedgerStartError('keys_missing', `${detail} For a new distributed ledger docker/make-keys.mjs makes them, once.`);
  }
  const importKey = { id: 'import', secret: decodeKey(join(directory, IMPORT_FILE)) };
  return {
    current: newest,
    importKey,
    fingerprintKey: (id) => {
      const key = keys.get(id);
      if (key === undefined) throw new LedgerStartError('keys_missing', `The fingerprint key ${id} is not in ${directory}: put it back.`);
      return key;
    },
  };
}

function decodeKey(file: string): Uint8Array {
  const secret = new Uint8Array(Buffer.from(readSecret(file), 'base64url'));
  if (secret.length !== KEY_BYTES)
    throw new LedgerStartError('keys_unreadable', `${file} does not hold a key of ${String(KEY_BYTES)} bytes.`);
  return secret;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
