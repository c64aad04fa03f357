import { EVENTS } from '@counterfoil/contracts';
import type { EventData } from '@counterfoil/contracts';
import { CALLS } from '../testing/invented-records.js';
import { MemoryEventStore } from '@counterfoil/testing';
import { eventsOf, importRecords, REGISTRY } from '../testing/import-records.js';

const memoryStore = (): MemoryEventStore => new MemoryEventStore({ upcast: (event) => REGISTRY.read(event) });

const names = Object.keys(CALLS);

async function imported(name: string): Promise<{ requested: EventData<'ToolCallRequested'>; observed: EventData<'ToolCallObserved'> }> {
  const store = memoryStore();
  await importRecords(store, [JSON.stringify(CALLS[name])]);
  const [requested, observed] = await eventsOf(store);
  if (requested?.type !== 'ToolCallRequested' || observed?.type !== 'ToolCallObserved') throw new Error(`${name} was not imported`);
  return { requested: requested.data, observed: observed.data };
}

describe('every shape of a call', () => {
  it.each(names)('%s reaches the current events, and is of its generation', async (name) => {
    const { requested, observed } = await imported(name);
    expect(EVENTS.ToolCallRequested.parse(requested)).toEqual(requested);
    expect(EVENTS.ToolCallObserved.parse(observed)).toEqual(observed);
    expect(requested.provenance).toMatchObject({ kind: 'imported', format: 'openkyrozen', generation: name.split('-')[0] });
  });

  it.each(names)('%s is imported once, however often it comes', async (name) => {
    const store = memoryStore();
    const text = JSON.stringify(CALLS[name]);
    expect(await importRecords(store, [text])).toMatchObject({ read: 1, imported: 1, eventsAdded: 1 });
    expect(await importRecords(store, [text], { importRun: 'another' })).toMatchObject({ read: 1, duplicate: 1, eventsAdded: 0 });
    expect(await importRecords(store, [JSON.stringify(CALLS[name], null, 2)], { importRun: 'pretty' })).toMatchObject({ eventsAdded: 0 });
  });

  it('covers every generation', () => {
    const generations = new Set(names.map((name) => name.split('-')[0]));
    expect([...generations].sort()).toEqual(['0a', '0b', '0c', '1', '1b', '2', '3', 'unknown']);
  });
});

describe('generation 3', () => {
  it('keeps a native call id, and what was said of the tool', async () => {
    const { requested, observed } = await imported('3-execution-receipt');
    expect(requested).toMatchObject({
      callId: 'toolu_invented_1',
      callIdSource: 'native',
      planId: 'plan_5a5a5a5a',
      tool: { source: 'builtin', name: 'write_file', version: '1.2.0', sideEffects: 'filesystem' },
      association: { kind: 'recorded', basis: 'explicit' },
    });
    expect(JSON.parse(requested.arguments.json)).toEqual({ path: 'a.txt', content: 'one\ntwo' });
    expect(observed.verification).toMatchObject({ state: 'verified', method: 'content_compare' });
  });

  it('never calls a missing call id native', async () => {
    const { requested } = await imported('3-receipt-without-call-id');
    expect(requested).toMatchObject({ callId: 'legacy:receipt_aaaabbbbccccddddeeeeffff00001111', callIdSource: 'legacy' });
    expect(requested.provenance).toMatchObject({ anomalies: ['missing_call_id'] });
  });

  it('of which both errors are cut is failed, and its error is not empty', async () => {
    const { requested, observed } = await imported('3-receipt-whose-errors-are-cut');
    expect(observed.status).toBe('failed');
    expect(observed.outcome?.error?.message?.json).toBe('"the gateway answered with…"');
    expect(requested.tool.sideEffects).toBe('destructive');
  });
});

describe('what a record says without words', () => {
  it('marks a success flag with which the text disagrees, and leaves the flag', async () => {
    const store = memoryStore();
    const record = { ...CALLS['0b-evidence'], result: 'Exit code 1\nstdout:' };
    await importRecords(store, [JSON.stringify(record)]);
    const [requested, observed] = await eventsOf(store);
    expect(requested?.data).toMatchObject({ provenance: { anomalies: ['text_disagrees_with_success_flag'] } });
    expect(observed?.data).toMatchObject({ status: 'succeeded', verification: { state: 'unavailable' } });
  });

  it('takes what the importer says of user and session only where the record says nothing', async () => {
    const store = memoryStore();
    const given = { userId: 'u-given', sessionId: 's-given' };
    await importRecords(store, [JSON.stringify(CALLS['0a-evidence']), JSON.stringify(CALLS['1-execution-receipt'])], { given });
    const [bare, , row] = await eventsOf(store);
    expect(bare?.data).toMatchObject({ userId: 'u-given', sessionId: 's-given' });
    expect(row?.data).toMatchObject({ userId: 'local', sessionId: 'chat-invented-7' });
  });
});

describe('old digests over unredacted content', () => {
  it.each(['2-execution-receipt', '2-evidence', '3-execution-receipt', '3-receipt-without-call-id'])(
    '%s stores none of them',
    async (name) => {
      const store = memoryStore();
      const text = JSON.stringify(CALLS[name]);
      // Whole, with another content under its coordinates, doubly encoded, and cut so that nobody can parse it.
      const others = [
        JSON.stringify({ ...CALLS[name], more: 1 }),
        JSON.stringify(text),
        text.slice(0, -1),
        JSON.stringify(text).slice(0, -1),
      ];
      const report = await importRecords(store, [text, ...others]);
      expect(report.quarantined).toBeGreaterThanOrEqual(2);
      for await (const { data } of store.readStored(null)) expect(JSON.stringify(data)).not.toMatch(/61bf200863ca|0f1e2d3c4b5a/i);
    },
  );

  it('are compared before they are keyed', async () => {
    const { requested } = await imported('2-execution-receipt');
    expect(requested.provenance).toMatchObject({ fingerprint: 'match', argumentsFidelity: ['fingerprint_match'] });
  });
});
