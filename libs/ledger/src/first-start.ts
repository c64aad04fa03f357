import { randomBytes } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { newApiKey } from '@counterfoil/canonical';
import { DomainError, type AccessScope } from '@counterfoil/contracts';
import type { AccessRegistry } from './access/access-registry.js';
import { ADMIN_KEY_FILE, writeSecretOnce } from './keys/file-key-ring.js';

export const FIRST_WORKSPACE = 'default';

/** Only the very first key is made by nobody: it makes the workspace `default`, and its admin. */
const FOUNDER: AccessScope = {
  keyId: 'internal',
  principal: 'service:first-start',
  workspaceId: FIRST_WORKSPACE,
  userId: null,
  roles: ['admin', 'operator'],
};

/**
 * Makes the first admin key if the ledger has none (design §8). The secret is written to its file before the key exists, so that a
 * crash in between leaves a file whose key is then made, never a key whose secret is lost.
 *
 * @returns the file of the key, or null when there were keys already, or another host made the first one at this moment
 */
export async function makeFirstKey(access: AccessRegistry, directory: string): Promise<string | null> {
  if (!(await access.isEmpty())) return null;
  const drawn = newApiKey(undefined, (length) => new Uint8Array(randomBytes(length))).secret;
  const secret = writeSecretOnce(directory, ADMIN_KEY_FILE, drawn);
  try {
    await access.create(FOUNDER, { principal: 'person:admin', roles: ['admin', 'approver', 'auditor', 'importer', 'operator'] }, secret);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'key_exists') throw error;
    // Another process was faster: with the same file, or on another host, whose key is the first one. Then ours opens nothing.
    if ((await access.authenticate(secret)) === null) {
      if (secret === drawn) unlinkSync(join(directory, ADMIN_KEY_FILE));
      return null;
    }
  }
  return join(directory, ADMIN_KEY_FILE);
}
