import { MongoClient, type Collection } from 'mongodb';
import { overMongo } from './test-servers.js';
import { WireProxy } from './wire-proxy.js';
import { wireWriteReader, type ReadWrites, type WireWrite } from './wire-writes.js';

interface Row {
  readonly _id: string;
  readonly guard: bigint;
}

overMongo("the proxy's record of writes", ['A'], (server) => {
  let read: ReadWrites;
  let proxy: WireProxy;
  let client: MongoClient;
  let rows: Collection<Row>;
  let seen: WireWrite[];

  beforeEach(async () => {
    seen = [];
    read = await wireWriteReader();
    proxy = await WireProxy.start(server.url, (request, answer) => seen.push(...read(request, answer)));
    client = new MongoClient(proxy.url);
    rows = client.db(`wire_writes_${String(process.pid)}_${String(Date.now())}`).collection<Row>('rows');
  });
  afterEach(async () => {
    await rows.drop().catch(() => undefined);
    await client.close();
    await proxy.close();
  });

  const guarded = (_id: string, expected: bigint, guard: bigint) => ({
    updateOne: { filter: { _id, guard: expected }, update: { $set: { guard } }, upsert: true },
  });
  const insert = (_id: string, guard: bigint) => ({ insertOne: { document: { _id, guard } } });
  const gist = () => seen.map(({ command, filter, change, fate }) => [command, filter['_id'] ?? change['_id'], fate]);

  it('tells of each write of an unordered bulk what became of it', async () => {
    await rows.insertMany([
      { _id: 'a', guard: 1n },
      { _id: 'b', guard: 1n },
    ]);
    await expect(
      rows.bulkWrite([guarded('a', 1n, 2n), guarded('b', 7n, 8n), insert('b', 1n), insert('c', 1n)], { ordered: false }),
    ).rejects.toThrow();
    expect(gist().sort()).toEqual([
      ['insert', 'a', 'applied'],
      ['insert', 'b', 'applied'],
      ['insert', 'b', 'refused'],
      ['insert', 'c', 'applied'],
      ['update', 'a', 'applied'],
      ['update', 'b', 'refused'],
    ]);
  });

  it('tells an upsert that inserted, a compare-and-set that failed, a delete, and which collection and values', async () => {
    await rows.updateOne({ _id: 'a', guard: -1n }, { $set: { guard: 1n } }, { upsert: true });
    await rows.updateOne({ _id: 'a', guard: 5n }, { $set: { guard: 6n } });
    await rows.findOneAndUpdate({ _id: 'a', guard: 1n }, { $set: { guard: 2n } });
    await rows.deleteOne({ _id: 'a', guard: 2n });
    expect(gist()).toEqual([
      ['update', 'a', 'made'],
      ['update', 'a', 'refused'],
      ['findAndModify', 'a', 'applied'],
      ['delete', 'a', 'applied'],
    ]);
    expect(seen[0]).toMatchObject({ collection: 'rows', filter: { guard: -1n }, change: { $set: { guard: 1n } } });
  });

  it('knows the answers to what was sent on before a connection broke, and of what was not sent on nothing', async () => {
    await rows.insertOne({ _id: 'a', guard: 1n });
    let left = 1;
    proxy.onCommand((command) => (command === 'update' && left-- > 0 ? 'lose_answer' : 'pass'));
    await expect(rows.updateOne({ _id: 'a', guard: 1n }, { $set: { guard: 2n } })).rejects.toThrow();
    left = 1;
    proxy.onCommand((command) => (command === 'update' && left-- > 0 ? 'lose' : 'pass'));
    await expect(rows.updateOne({ _id: 'a', guard: 2n }, { $set: { guard: 3n } })).rejects.toThrow();
    expect(gist()).toEqual([
      ['insert', 'a', 'applied'],
      ['update', 'a', 'applied'],
    ]);
    expect(await rows.findOne({ _id: 'a' })).toMatchObject({ guard: 2 });
  });
});
