import { RegisterToolBody } from '@counterfoil/contracts';
import {
  OutcomeUnknownError,
  StoreUnavailableError,
  type AppendRequest,
  type AppendResult,
  type EventStore,
  type ReadStreamOptions,
} from '@counterfoil/event-store';
import type { Ledger } from '../ledger.js';
import { origin, testLedger, type TestLedger } from '../testing/test-ledger.js';
import { ToolRegistry } from './tool-registry.js';

let test: TestLedger;
let ledger: Ledger;

beforeEach(async () => {
  test = await testLedger();
  ledger = await test.open();
});
afterEach(() => test.dispose());

const ADMIN = origin('person:admin');
const body = (change: Partial<RegisterToolBody> = {}): RegisterToolBody => ({
  ...RegisterToolBody.parse({ source: 'builtin', name: 'run' }),
  ...change,
});

interface Watched {
  readonly tools: ToolRegistry;
  readonly appends: readonly AppendRequest[];
  readonly reads: () => number;
}

type Append = (inner: EventStore['append'], request: AppendRequest) => Promise<AppendResult>;

/** A registry over the ledger's store, whose appends and reads are noted; `append` rules what becomes of them. */
function watched(append: Append = (inner, request) => inner(request), cachedUnits?: number): Watched {
  const appends: AppendRequest[] = [];
  let reads = 0;
  const { store, keys } = ledger;
  const over = Object.create(store, {
    append: {
      value: (request: AppendRequest) => {
        appends.push(request);
        return append((each) => store.append(each), request);
      },
    },
    readStream: {
      value: (stream: string, options?: ReadStreamOptions) => {
        reads++;
        return store.readStream(stream, options);
      },
    },
  }) as EventStore;
  const tools = new ToolRegistry({ store: over, keys, now: () => test.now, ...(cachedUnits === undefined ? {} : { cachedUnits }) });
  return { tools, appends, reads: () => reads };
}

describe('an append to the registry whose answer is lost', () => {
  it.each([
    ['although it was stored', true],
    ['before it was stored', false],
  ])('%s is sent again as it was: recorded once', async (_what, isStored) => {
    let lost = 0;
    const { tools, appends } = watched(async (inner, request) => {
      if (lost++ >= 2) return inner(request);
      if (isStored) await inner(request);
      throw new OutcomeUnknownError('of the test');
    });
    expect(await tools.register('default', body(), ADMIN)).toMatchObject({ added: 1, revision: 0n, position: 1n });
    expect(appends).toHaveLength(3);
    for (const each of appends) expect(each).toEqual(appends[0]);
    expect(await ledger.store.head()).toBe(1n);
  });

  it.each([
    ['stored', true, 0],
    ['not stored', false, 1],
  ])('for ever is `outcome_unknown`; the same command settles it (%s)', async (_what, isStored, added) => {
    let isAway = true;
    const { tools } = watched(async (inner, request) => {
      if (!isAway) return inner(request);
      if (isStored) await inner(request);
      throw new OutcomeUnknownError('of the test');
    });
    await expect(tools.register('default', body(), ADMIN)).rejects.toMatchObject({ code: 'outcome_unknown' });
    isAway = false;
    expect(await tools.register('default', body(), ADMIN)).toMatchObject({ added, revision: 0n, position: 1n });
    expect(await ledger.store.head()).toBe(1n);
  });

  it('because the store is away is `store_unavailable`: nothing was recorded', async () => {
    let isAway = true;
    const { tools, appends } = watched((inner, request) =>
      isAway ? Promise.reject(new StoreUnavailableError('of the test')) : inner(request),
    );
    await expect(tools.setPolicy('default', { rules: [], unknownTools: 'refuse' }, ADMIN)).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    expect(appends).toHaveLength(1);
    expect(await tools.directory('default')).toMatchObject({ revision: null, policyVersion: null });
    isAway = false;
    expect(await tools.setPolicy('default', { rules: [], unknownTools: 'refuse' }, ADMIN)).toMatchObject({ added: 1, version: 1 });
  });
});

describe('a registry that cannot be read', () => {
  it('is `store_unavailable` for those who ask, and is read again by the next', async () => {
    let isAway = true;
    const { store, keys } = ledger;
    const over = Object.create(store, {
      readStream: {
        value: (stream: string, options?: ReadStreamOptions) => {
          if (isAway) throw new StoreUnavailableError('of the test');
          return store.readStream(stream, options);
        },
      },
    }) as EventStore;
    const tools = new ToolRegistry({ store: over, keys });
    const asked = await Promise.allSettled(Array.from({ length: 5 }, () => tools.directory('default')));
    for (const each of asked) expect(each).toMatchObject({ status: 'rejected', reason: { code: 'store_unavailable' } });
    isAway = false;
    expect(await tools.directory('default')).toMatchObject({ revision: null });
  });
});

describe('the registry in memory', () => {
  it('is read on for each question, but once for many that come together', async () => {
    const { tools, reads } = watched();
    await ledger.tools.register('default', body(), ADMIN);
    await tools.directory('default');
    await tools.directory('default');
    expect(reads()).toBe(2);
    const directories = await Promise.all(Array.from({ length: 200 }, () => tools.directory('default')));
    expect(reads()).toBeLessThanOrEqual(4);
    // Nothing is new, so nothing is made anew.
    expect(new Set(directories).size).toBe(1);
  });

  it('shows what was appended before the question, also to one that comes while a read is under way', async () => {
    const { tools } = watched();
    for (let n = 0; n < 30; n++) {
      const early = tools.directory('default');
      const { revision } = await ledger.tools.register('default', body({ version: `${n}` }), ADMIN);
      const late = tools.directory('default');
      expect((await late).revision).toBe(String(revision));
      await early;
    }
  });

  it('is bounded, however many workspaces there are', async () => {
    const { tools } = watched(undefined, 10_000);
    for (let n = 0; n < 60; n++) {
      await tools.setPolicy(`w${n}`, { rules: [], unknownTools: n % 2 === 0 ? 'refuse' : 'allow' }, ADMIN);
      expect(tools.held).toBeLessThanOrEqual(10);
    }
    for (let n = 0; n < 60; n++) {
      expect(await tools.policy(`w${n}`)).toMatchObject({ version: 1, policy: { unknownTools: n % 2 === 0 ? 'refuse' : 'allow' } });
    }
    for (let n = 0; n < 60; n++) await tools.directory(`nothing-${n}`);
    expect(tools.held).toBeLessThanOrEqual(10);
  });

  it('tells an observer what was decided and appended, and nothing of the caller', async () => {
    const heard: unknown[] = [];
    const stop = ledger.observe({ appended: (types) => heard.push(types), decided: (command, code) => heard.push([command, code]) });
    await ledger.tools.register('default', body(), ADMIN);
    await ledger.tools.register('default', body(), ADMIN);
    await ledger.tools.retire('default', { source: 'x', name: 'FAKE' }, ADMIN).catch(() => undefined);
    stop();
    await ledger.tools.register('default', body({ version: '2' }), ADMIN);
    expect(heard).toEqual([['ToolRegistered'], ['RegisterTool', 'accepted'], ['RegisterTool', 'same'], ['RetireTool', 'not_found']]);
  });
});
