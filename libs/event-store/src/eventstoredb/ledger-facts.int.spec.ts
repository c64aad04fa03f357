import { collect, describeWithSwitches, eachServer, QUICK, rejectionOf, textEvents } from '@counterfoil/testing';
import { InvalidEventError, OutcomeUnknownError, StoreSettingsError, StoreUnavailableError, StreamIntegrityError } from '../errors.js';
import { eachOtherProgram } from './testing/other-program.js';

describeWithSwitches('what a ledger in EventStoreDB knows about itself', () => {
  const { server, open } = eachServer();
  const others = eachOtherProgram(server);

  it('is made once, however many processes start at the same time', async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, () => open()));
    expect(new Set(stores.map(({ epoch }) => epoch)).size).toBe(1);
    expect(server().log.stream('counterfoil.ledger')).toHaveLength(1);
  });

  it('is made once, though the answers are lost', async () => {
    server().faults.nextAppends('drop_after', 'drop_before', 'lose_answer');
    const { epoch } = await open();
    expect((await open()).epoch).toBe(epoch);
    expect(server().log.stream('counterfoil.ledger')).toHaveLength(1);
  });

  it('is not made when the server does not say so: opening can be tried again', async () => {
    server().faults.decide = () => 'drop_before';
    expect(await rejectionOf(open({ timing: { ...QUICK, settleMs: 100 } }))).toBeInstanceOf(OutcomeUnknownError);
    server().faults.decide = null;
    expect((await open()).epoch).toMatch(/^[a-z0-9]{1,32}$/);
  });

  it('is another ledger under another prefix', async () => {
    const one = await open({ streamPrefix: 'one.', createEpoch: () => 'epoch1' });
    const two = await open({ streamPrefix: 'two.', createEpoch: () => 'epoch2' });
    await one.append({ stream: 's', expected: 'no_stream', events: textEvents('one', 1) });
    expect([one.epoch, two.epoch]).toEqual(['epoch1', 'epoch2']);
    expect(await two.head()).toBe(0n);
    expect(await collect(two.readStored(null))).toEqual([]);
  });

  it.each([
    ['a longer one', 'counterfoil.', 'counterfoil.copy.'],
    ['one that is hardly longer', 'c', 'counterfoil.'],
    ['a shorter one', 'counterfoil.copy.', 'counterfoil.'],
  ])(
    'a ledger with %s among the streams of another ruined that one: it is not made, and nothing is written',
    async (_what, there, wanted) => {
      const first = await open({ streamPrefix: there });
      await first.append({ stream: 's', expected: 'no_stream', events: textEvents('first', 1) });
      const appends = server().seenAppends.length;
      const refusal = await rejectionOf(open({ streamPrefix: wanted }));
      expect(refusal).toBeInstanceOf(StoreSettingsError);
      expect(String(refusal)).toContain('overlaps');
      expect(server().seenAppends).toHaveLength(appends);
      // What was there is opened as ever, and what stands apart is made.
      expect((await open({ streamPrefix: there })).epoch).toBe(first.epoch);
      await open({ streamPrefix: 'apart.' });
    },
  );

  it('another program’s streams are none of a ledger', async () => {
    await others().writeTo('cledger', [{ type: 'SomethingElse', data: {} }]);
    await others().write(600);
    expect((await open()).epoch).toMatch(/^[a-z0-9]{1,32}$/);
  });

  it('keeps facts that are set once: in a race one stands, and all are told which', async () => {
    const stores = await Promise.all([open(), open(), open()]);
    expect(stores[0].meta('key')).toBeNull();
    const answers = await Promise.all(stores.map((store, n) => store.setMetaOnce('key', `value ${n}`)));
    expect(new Set(answers).size).toBe(1);
    expect(stores.map((store) => store.meta('key'))).toEqual(answers);
    expect(await stores[0].setMetaOnce('key', 'later')).toBe(answers[0]);
    expect(await stores[0].setMetaOnce('other', 'x')).toBe('x');
    const reopened = await open();
    expect([reopened.meta('key'), reopened.meta('other')]).toEqual([answers[0], 'x']);
    expect(await collect(reopened.readStored(null))).toEqual([]);
  });

  it('takes no events of the ledger', async () => {
    const store = await open();
    const append = store.append({ stream: 'ledger', expected: 'no_stream', events: textEvents('e', 1) });
    expect(await rejectionOf(append)).toBeInstanceOf(InvalidEventError);
  });

  it('is no ledger where another program wrote there first', async () => {
    await others().writeTo('counterfoil.ledger', [{ type: 'SomethingElse', data: {} }]);
    expect(await rejectionOf(open())).toBeInstanceOf(StreamIntegrityError);
  });

  it.each(['', '$counterfoil.', 'a/b', 'a b', 'x'.repeat(65)])('is under no prefix like %p', async (streamPrefix) => {
    expect(await rejectionOf(open({ streamPrefix }))).toBeInstanceOf(StoreSettingsError);
  });

  it('has no epoch that a position token could not hold', async () => {
    expect(await rejectionOf(open({ createEpoch: () => 'Epoch.1' }))).toBeInstanceOf(StoreSettingsError);
  });

  it('is told to nobody after the store was closed', async () => {
    const store = await open();
    await store.close();
    expect(() => store.meta('key')).toThrow(StoreUnavailableError);
    expect(await rejectionOf(store.setMetaOnce('key', 'x'))).toBeInstanceOf(StoreUnavailableError);
  });
});
