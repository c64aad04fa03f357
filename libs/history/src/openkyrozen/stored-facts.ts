import { UpcastError } from '@counterfoil/event-store';
import { readFacts } from './facts.js';
import type { ReceiptFacts } from './facts.js';
import { isObject } from './json-text.js';
import { decodePayload } from './payload.js';
import { RecordRefused } from './refused.js';
import { verify } from './verification.js';

/** What a stored record says, and how deep its payload stood in JSON in strings: the paths of its redactions say it too. */
export interface StoredFacts {
  readonly facts: ReceiptFacts;
  readonly encodings: number;
}

/**
 * What a stored record says.
 *
 * @param json the row as it is stored: redacted, perhaps cut
 * @throws UpcastError if it can't be read; the importer stores none of which that is true
 */
export function storedFacts(json: string): StoredFacts {
  const row: unknown = JSON.parse(json);
  const decoded = isObject(row) ? decodePayload(row['payload']) : null;
  if (!isObject(row) || decoded === null || 'reason' in decoded) throw new UpcastError('the stored record has no readable payload');
  try {
    return { facts: readFacts(row, decoded.payload, new Set()), encodings: decoded.encodings };
  } catch (error) {
    if (error instanceof RecordRefused) throw new UpcastError(`the stored record is unreadable: ${error.reason}`);
    throw error;
  }
}

/** What must be the same before and after redaction and cut; texts may differ, that is what redaction is for. */
function fixed(facts: ReceiptFacts): string {
  const { state, method } = verify(facts);
  return JSON.stringify([
    facts.action,
    facts.arguments.kind,
    facts.success,
    facts.authorized,
    facts.exitCode,
    facts.failure === null,
    facts.operationId,
    facts.startedAt,
    facts.completedAt,
    facts.createdAt,
    state,
    method,
  ]);
}

/** Whether the stored form of a record still says what the record said. */
export function survives(facts: ReceiptFacts, storedJson: string): boolean {
  try {
    return fixed(storedFacts(storedJson).facts) === fixed(facts);
  } catch (error) {
    if (error instanceof UpcastError) return false;
    throw error;
  }
}

/** Path of a member of the payload, as redactions give it. */
export function payloadPath(encodings: number, key: string): string {
  return `/payload${'#'.repeat(encodings)}/${key}`;
}
