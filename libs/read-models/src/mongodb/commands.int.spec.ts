import { mongoTestDatabase, overMongo, type MongoTestDatabase } from '@counterfoil/testing';
import type { CommandStartedEvent } from 'mongodb';
import type { Collection, CollectionSpec, GuardedWrite, Query } from '../port.js';
import { connect, type Connection } from './connection.js';
import { MongoDocumentStore } from './mongo-document-store.js';
import { watch, type Watched } from './testing/watched.js';

const SPEC: CollectionSpec = {
  name: 'commands',
  indexes: [
    { name: 'by_session', fields: ['workspace', 'session', 'at'] },
    { name: 'by_at', fields: ['at'] },
    { name: 'by_key', fields: ['key'], unique: true },
    { name: 'by_id', fields: [] },
  ],
};

const BY_AT: Query = { index: 'by_at', where: {}, order: ['at'], direction: 'asc', limit: 7 };
const BY_SESSION: Query = {
  index: 'by_session',
  where: { workspace: { eq: 'w' }, session: { eq: 's1' } },
  order: ['at'],
  direction: 'desc',
  limit: 7,
};
const after = { values: [40], id: 'd40' };

/** Every shape in which a query is asked. */
const SHAPES: Readonly<Record<string, Query>> = {
  'all, in order': BY_AT,
  'all, backwards': { ...BY_AT, direction: 'desc' },
  'by a prefix of the index': BY_SESSION,
  'a page of it': { ...BY_SESSION, after },
  'a page of it, forwards': { ...BY_SESSION, direction: 'asc', after },
  'a range': { ...BY_AT, where: { at: { gte: 10, lt: 60 } } },
  'a page of a range': { ...BY_AT, where: { at: { gte: 10, lt: 60 } }, after },
  'a list': { ...BY_AT, where: { at: { in: [5, 6, 70] } } },
  'a page of several fields': {
    ...BY_SESSION,
    where: { workspace: { eq: 'w' } },
    order: ['session', 'at'],
    after: { values: ['s1', 40], id: 'd40' },
  },
  'a filter that the index knows nothing of': { ...BY_AT, where: { key: { prefix: 'k1' } } },
  'one of a unique index': { index: 'by_key', where: { key: { eq: 'k7' } }, order: [], direction: 'asc', limit: 1 },
  'by id': { index: 'by_id', where: {}, order: [], direction: 'asc', limit: 7, after: { values: [], id: 'd40' } },
};

overMongo('commands of the MongoDB document store', ['A', 'B', 'given'], (server) => {
  let database: MongoTestDatabase;
  let connection: Connection;
  let watched: Watched;
  let collection: Collection<object>;

  beforeEach(async () => {
    database = mongoTestDatabase(server);
    await open('local');
    await fill(collection);
  });
  afterEach(async () => {
    await connection.close();
    await database.dispose();
  });

  async function open(readConcern: 'local' | 'majority'): Promise<void> {
    connection = await connect({ url: server.url, database: database.name, readConcern }, true);
    watched = watch(connection);
    collection = await new MongoDocumentStore(connection).collection<object>(SPEC);
  }

  /** The commands of one name that a call sends. */
  async function sent(name: string, call: () => Promise<unknown>): Promise<readonly CommandStartedEvent['command'][]> {
    const from = watched.commands.length;
    await call();
    return watched.commands.slice(from).filter((command) => name in command);
  }

  it.each(Object.entries(SHAPES))('%s: a query names its index, and so does its count', async (_, query) => {
    expect((await sent('find', () => collection.find(query))).map(({ hint }) => hint as unknown)).toEqual([query.index]);
    const counts = await sent('aggregate', () => collection.count(query.index, query.where));
    expect(counts.map(({ hint }) => hint as unknown)).toEqual([query.index]);
    expect(watched.faults).toEqual([]);
  });

  it('the indexes that queries name are those that were made, each ending in the id', async () => {
    const made = await connection.db.collection('d_commands').listIndexes().toArray();
    const keys = new Map(
      made.map(({ name, key, unique }) => [String(name), { key: Object.entries(key as object), unique: unique === true }]),
    );
    const asc = (...fields: string[]) => fields.map((field) => [field, 1]);
    expect(keys.get('by_session')).toEqual({ key: asc('f_workspace', 'f_session', 'f_at', '_id'), unique: false });
    expect(keys.get('by_at')).toEqual({ key: asc('f_at', '_id'), unique: false });
    expect(keys.get('by_key')).toEqual({ key: asc('f_key', '_id'), unique: false });
    expect(keys.get('by_key.unique')).toEqual({ key: asc('f_key'), unique: true });
    expect(keys.get('by_id')).toEqual({ key: asc('live', '_id'), unique: false });
  });

  it('a page is one command, and a bulk of changes is one, too', async () => {
    expect(await sent('find', () => collection.find(BY_SESSION))).toHaveLength(1);
    const changes = Array.from({ length: 50 }, (_, n) => writeOf(n, 1n));
    const from = watched.commands.length;
    expect(await collection.bulkWrite(changes)).toEqual({ conflicts: [] });
    expect(watched.commands.slice(from).map((command) => Object.keys(command)[0])).toEqual(['update']);
  });

  it('reads for who goes on from them are of what a majority has', async () => {
    await connection.close();
    await open('majority');
    const reads = [
      ...(await sent('find', () => collection.find(BY_AT))),
      ...(await sent('find', () => collection.getMany(['d1', 'd2']))),
      ...(await sent('aggregate', () => collection.count('by_at', {}))),
    ];
    expect(reads.map(({ readConcern }) => (readConcern as { level?: string } | undefined)?.level)).toEqual([
      'majority',
      'majority',
      'majority',
    ]);
    const settled = await sent('find', () => collection.bulkWrite([writeOf(500, null), writeOf(1, 77n)]));
    expect(settled.map(({ readConcern }) => (readConcern as { level?: string } | undefined)?.level)).toEqual(['local']);
    expect(watched.faults).toEqual([]);
  });

  it('uses no command but the plain ones', async () => {
    await collection.bulkWrite([writeOf(1, 1n), writeOf(2, 0n), writeOf(200, null), { ...writeOf(3, 1n), doc: null }]);
    for await (const { id } of collection.scan()) expect(id).not.toBe('');
    const store = new MongoDocumentStore(connection);
    await store.compareAndSet('a', null, { n: 1 });
    await store.compareAndSet('a', 1n, { n: 2 });
    await store.collections('com');
    await store.drop(SPEC.name);
    const plain = ['aggregate', 'createIndexes', 'delete', 'drop', 'find', 'insert', 'update'];
    const used = new Set(watched.commands.map((command) => Object.keys(command)[0] ?? ''));
    expect([...used].filter((name) => !plain.includes(name))).toEqual([]);
    const text = JSON.stringify(watched.commands, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
    expect(text).not.toMatch(/\$expr|\$lookup|startTransaction|\$regex|"collation"/);
    expect(watched.faults).toEqual([]);
  });

  // Neither test server plans as MongoDB does: A has no explain, B's tells of its SQL.
  const explained = server.kind === 'given' ? it : it.skip;
  explained('for every shape the server takes that index, and looks at no whole collection (left out but on MongoDB)', async () => {
    for (const [shape, query] of Object.entries(SHAPES)) {
      const [find] = await sent('find', () => collection.find(query));
      const { filter, sort, hint, limit } = (find ?? {}) as Record<string, unknown>;
      const answer = await connection.db.command({ explain: { find: 'd_commands', filter, sort, hint, limit }, verbosity: 'queryPlanner' });
      const stages = stagesOf((answer as { queryPlanner: { winningPlan: unknown } }).queryPlanner.winningPlan);
      const indexes = new Set(stages.flatMap(({ indexName }) => (indexName === undefined ? [] : [indexName])));
      expect([shape, ...indexes]).toEqual([shape, query.index]);
      expect([shape, ...stages.map(({ stage }) => stage)]).not.toContain('COLLSCAN');
    }
  });
});

function writeOf(n: number, expected: bigint | null): GuardedWrite<object> {
  const fields = { workspace: 'w', session: `s${n % 3}`, at: n, key: `k${n}` };
  return { id: `d${n}`, expected, guard: (expected ?? 0n) + 1n, doc: { n }, fields };
}

async function fill(collection: Collection<object>): Promise<void> {
  await collection.bulkWrite(Array.from({ length: 100 }, (_, n) => writeOf(n, null)));
}

interface Stage {
  readonly stage: string;
  readonly indexName?: string;
}

/** All stages of a plan, wherever in it they stand. */
function stagesOf(plan: unknown): readonly Stage[] {
  if (typeof plan !== 'object' || plan === null) return [];
  const own = 'stage' in plan && typeof plan.stage === 'string' ? [plan as Stage] : [];
  return [...own, ...Object.values(plan).flatMap(stagesOf)];
}
