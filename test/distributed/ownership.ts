import type { MongoClient } from 'mongodb';

interface Control {
  readonly _id: string;
  readonly revision: bigint | number;
  readonly value: string;
}

/** How many partitions each living process has, by its process id, as the control documents say. */
export async function partitionsByProcess(client: MongoClient, database: string): Promise<ReadonlyMap<number, number>> {
  const rows = await client
    .db(database)
    .collection<Control>('control')
    .find({ _id: { $gte: 'partition/', $lt: 'slot0' } })
    .toArray();
  const slots = new Map<string, { readonly pid: number; readonly epoch: number }>();
  for (const { _id, value } of rows) {
    const [, index] = /^slot\/.*\/(\d+)$/.exec(_id) ?? [];
    if (index === undefined) continue;
    const { owner, epoch } = JSON.parse(value) as { owner: string; epoch: number };
    slots.set(index, { pid: Number(owner.split('-')[0]), epoch });
  }
  const counts = new Map<number, number>();
  for (const { _id, value } of rows) {
    if (!_id.startsWith('partition/')) continue;
    const { slot, slotEpoch } = JSON.parse(value) as { slot: number | null; slotEpoch: number };
    const holder = slots.get(String(slot));
    if (holder?.epoch !== slotEpoch || holder.pid === 0) continue;
    counts.set(holder.pid, (counts.get(holder.pid) ?? 0) + 1);
  }
  return counts;
}
