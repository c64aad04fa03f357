import { commandOf, isDocumentMessage, sectionsOf } from './wire-messages.js';

/**
 * What became of a write: `made` is an upsert that inserted; `refused` changed nothing; `unknown` is one whose answer never came, or
 * doesn't tell it from its neighbours.
 */
export type WireWriteFate = 'applied' | 'made' | 'refused' | 'unknown';

/** One write of a command, as it was sent and as the server answered. */
export interface WireWrite {
  readonly command: 'insert' | 'update' | 'delete' | 'findAndModify';
  readonly collection: string;
  /** Empty for an insert. 64-bit integers are `bigint`. */
  readonly filter: Fields;
  /** What was inserted, or the change; empty for a delete. */
  readonly change: Fields;
  readonly fate: WireWriteFate;
}

export type Fields = Readonly<Record<string, unknown>>;
/** Gives the writes of a request, none where it holds none. */
export type ReadWrites = (request: Buffer, answer: Buffer | null) => readonly WireWrite[];

type Deserialize = (bytes: Uint8Array) => Fields;
type Statement = Pick<WireWrite, 'filter' | 'change'> & { readonly upserts: boolean };

/** How each command that writes lists its writes. */
const LISTS = { insert: 'documents', update: 'updates', delete: 'deletes' } as const;

/** The reader of writes. The driver's library is loaded only now: most specs don't need it. */
export async function wireWriteReader(): Promise<ReadWrites> {
  const { BSON } = await import('mongodb');
  const deserialize: Deserialize = (bytes) => BSON.deserialize(bytes, { useBigInt64: true });
  return (request, answer) => writesOf(request, answer, deserialize);
}

function writesOf(request: Buffer, answer: Buffer | null, deserialize: Deserialize): readonly WireWrite[] {
  const command = commandOf(request);
  if (command !== 'insert' && command !== 'update' && command !== 'delete' && command !== 'findAndModify') return [];
  const body = documentOf(request, deserialize);
  const statements = command === 'findAndModify' ? [found(body)] : listed(body[LISTS[command]]).map((one) => statementOf(command, one));
  const fates = fatesOf(command, statements, body, answer === null ? null : documentOf(answer, deserialize));
  const collection = String(body[command]);
  return statements.map(({ filter, change }, at) => ({ command, collection, filter, change, fate: fates[at] ?? 'unknown' }));
}

/** The document of a message. A list of documents may stand beside it, in a section that is named after its key. */
function documentOf(message: Buffer, deserialize: Deserialize): Fields {
  if (!isDocumentMessage(message)) return {};
  const document: Record<string, unknown> = {};
  for (let rest = sectionsOf(message); rest.length > 4;) {
    const [kind, size] = [rest[0], rest.readInt32LE(1)];
    const section = rest.subarray(1, 1 + size);
    if (kind === 0) Object.assign(document, deserialize(section));
    else document[section.toString('utf8', 4, section.indexOf(0, 4))] = documentsIn(section, deserialize);
    rest = rest.subarray(1 + size);
  }
  return document;
}

function documentsIn(section: Buffer, deserialize: Deserialize): readonly Fields[] {
  const documents: Fields[] = [];
  for (let at = section.indexOf(0, 4) + 1; at < section.length; at += section.readInt32LE(at))
    documents.push(deserialize(section.subarray(at, at + section.readInt32LE(at))));
  return documents;
}

function statementOf(command: keyof typeof LISTS, one: Fields): Statement {
  if (command === 'insert') return { filter: {}, change: one, upserts: false };
  return { filter: fields(one['q']), change: fields(one['u']), upserts: one['upsert'] === true };
}

const found = (body: Fields): Statement => ({
  filter: fields(body['query']),
  change: fields(body['update']),
  upserts: body['upsert'] === true,
});

function fatesOf(
  command: WireWrite['command'],
  statements: readonly Statement[],
  body: Fields,
  answer: Fields | null,
): readonly WireWriteFate[] {
  if (answer === null) return statements.map(() => 'unknown');
  if (Number(answer['ok']) !== 1) return statements.map(() => 'refused');
  const failed = listed(answer['writeErrors']).map((error) => Number(error['index']));
  const made = listed(answer['upserted']).map((upsert) => Number(upsert['index']));
  // An ordered command ends at its first error.
  const end = body['ordered'] === false ? statements.length : Math.min(statements.length, ...failed);
  const count = Number(command === 'findAndModify' ? fields(answer['lastErrorObject'])['n'] : answer['n']);
  return statements.map(({ upserts }, at) => {
    if (failed.includes(at) || at >= end) return 'refused';
    if (made.includes(at)) return 'made';
    // An insert, or an upsert, that neither failed nor inserted has found what it was to change. Of others there is only a sum.
    if (command === 'insert' || (upserts && command === 'update')) return 'applied';
    if (count === 0) return 'refused';
    return count === statements.length ? 'applied' : 'unknown';
  });
}

const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const listed = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : []);
