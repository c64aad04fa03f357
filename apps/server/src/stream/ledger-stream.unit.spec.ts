import { DomainError, type AccessScope, type CounterfoilEvent } from '@counterfoil/contracts';
import {
  approvalRequested,
  MemoryEventStore,
  plannedTask,
  receiptNamed,
  sessionOpened,
  toolCallRequested,
  toolExecuted,
  workingPlanActivated,
} from '@counterfoil/testing';
import { Watch } from '../runtime/watch.js';
import type { StreamDocument } from './document-reader.js';
import { LedgerStream, type StreamSubject } from './ledger-stream.js';
import { STREAM_KINDS, type Touch } from './touches.js';

const SCOPE: AccessScope = { keyId: 'key1', principal: 'agent:a', workspaceId: 'w', userId: 'u1', roles: ['agent'] };

let store: MemoryEventStore;
let count = 0;

const append = async (stream: string, ...events: readonly CounterfoilEvent[]): Promise<void> => {
  const head = await store.streamHead(stream);
  const metadata = {
    recordedAt: '2027-01-01T00:00:00.000Z',
    occurredAt: null,
    actor: { principal: 'agent:a', keyId: 'key1' },
    correlationId: null,
    causationId: null,
    traceparent: null,
  };
  await store.append({
    stream,
    expected: head?.revision ?? 'no_stream',
    events: events.map((event) => ({ id: `id-${String(count++)}`, version: 1, metadata, ...event })),
  });
};

const requested = (name: string): CounterfoilEvent => toolCallRequested({ receiptId: receiptNamed(name) });

interface Run {
  /** Everything that was written, by frame. */
  readonly frames: string[];
  /** Ends the stream. */
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly watch: Watch;
}

interface RunOptions {
  readonly subject?: Partial<StreamSubject>;
  readonly read?: (touch: Touch, position: string) => Promise<StreamDocument | null>;
  readonly write?: (text: string, run: Run) => Promise<void>;
  readonly clock?: () => number;
}

/** Runs a stream over the store, with documents that only name themselves unless `read` says otherwise. */
function streaming({ subject, read, write, clock }: RunOptions = {}): Run {
  const stop = new AbortController();
  const watch = new Watch(() => undefined);
  const frames: string[] = [];
  const run: { -readonly [K in keyof Run]: Run[K] } = { frames, stop, watch, ended: Promise.resolve() };
  const stream = new LedgerStream(
    { scope: SCOPE, kinds: new Set(STREAM_KINDS), session: null, after: 0n, ...subject },
    {
      ledger: { store, token: (position) => `e1.${position.toString()}` },
      reader: { read: (_scope, touch, position) => read?.(touch, position) ?? Promise.resolve({ id: touch.id }) },
      watch,
      write: async (text) => {
        frames.push(text);
        await write?.(text, run);
      },
      clock: clock ?? (() => 0),
    },
    stop.signal,
  );
  run.ended = stream.run();
  return run;
}

/** What a stream sends until it has nothing more to send. */
async function sent(options: RunOptions = {}): Promise<readonly string[]> {
  const run = streaming(options);
  const quiet = run.watch.next.bind(run.watch);
  run.watch.next = (ms, signal) => {
    run.stop.abort();
    return quiet(ms, signal);
  };
  await run.ended;
  return run.frames;
}

/** Event name and id of a frame. */
const headOf = (frame: string): readonly [string | undefined, string | undefined] => [
  /^event: (.*)$/m.exec(frame)?.[1],
  /^id: (.*)$/m.exec(frame)?.[1],
];

beforeEach(() => {
  store = new MemoryEventStore();
});

it('says first where it begins, then tells of each event by its position', async () => {
  await append('session-w/s1', sessionOpened(), requested('a'), requested('b'));
  expect((await sent()).map(headOf)).toEqual([
    [undefined, 'e1.0'],
    ['receipt', 'e1.2'],
    ['receipt', 'e1.3'],
  ]);
});

it('begins after the position that it was given', async () => {
  await append('session-w/s1', requested('a'), requested('b'));
  expect((await sent({ subject: { after: 1n } })).map(headOf)).toEqual([
    [undefined, 'e1.1'],
    ['receipt', 'e1.2'],
  ]);
});

it('of the messages of one position only the last has the id, so that a client that lost the others gets them again', async () => {
  await append('session-w/s1', approvalRequested(), workingPlanActivated({ tasks: ['t1', 't2', 't3'].map((id) => plannedTask(id)) }));
  expect((await sent()).map(headOf)).toEqual([
    [undefined, 'e1.0'],
    ['receipt', undefined],
    ['approval', 'e1.1'],
    ['task', undefined],
    ['task', undefined],
    ['task', 'e1.2'],
  ]);
});

it('the last message has the id also where the last document is not for this client', async () => {
  await append('session-w/s1', workingPlanActivated({ tasks: ['t1', 't2'].map((id) => plannedTask(id)) }));
  const read = (touch: Touch): Promise<StreamDocument | null> => Promise.resolve(touch.id.endsWith('t2') ? null : { id: touch.id });
  expect((await sent({ read })).map(headOf)).toEqual([
    [undefined, 'e1.0'],
    ['task', 'e1.1'],
  ]);
});

it('reads nothing of other workspaces, nor of other sessions where one is wanted', async () => {
  await append('session-v/s1', requested('a'));
  await append('session-w/s1', requested('b'));
  await append('session-w/s11', requested('c'));
  await append('session-w2/s1', requested('d'));
  const asked: string[] = [];
  const read = ({ id }: Touch): Promise<StreamDocument> => {
    asked.push(id);
    return Promise.resolve({ id, sessionId: 's1' });
  };
  await sent({ subject: { session: 's1' }, read });
  expect(asked).toEqual([receiptNamed('b')]);
});

it('an imported receipt belongs to the session that its document names', async () => {
  await append('history-w/r1', requested('a'));
  await append('history-w/r2', requested('b'));
  const read = ({ id }: Touch): Promise<StreamDocument> => Promise.resolve({ id, sessionId: id === receiptNamed('a') ? 's1' : null });
  const frames = await sent({ subject: { session: 's1' }, read });
  expect(frames.slice(1)).toEqual([`event: receipt\ndata: {"id":"${receiptNamed('a')}","sessionId":"s1"}\nid: e1.1\n\n`]);
});

it('waits for the read models for as long as it takes', async () => {
  await append('session-w/s1', requested('a'));
  let tries = 0;
  const read = (_touch: Touch, position: string): Promise<StreamDocument> =>
    tries++ < 3 ? Promise.reject(new DomainError('projection_lagging', 'not yet')) : Promise.resolve({ position });
  expect((await sent({ read })).at(-1)).toContain('data: {"position":"e1.1"}');
});

it('a fault of the stores ends it, and it says so', async () => {
  await append('session-w/s1', requested('a'));
  await expect(sent({ read: () => Promise.reject(new DomainError('store_unavailable', 'away')) })).rejects.toMatchObject({
    code: 'store_unavailable',
  });
});

it('is woken by what comes later', async () => {
  await append('session-w/s1', requested('a'));
  const run = streaming({
    write: async (text, { watch, stop }) => {
      if (text.includes('e1.1\n')) {
        await append('session-w/s1', toolExecuted());
        watch.tell();
      }
      if (text.includes('e1.2\n')) stop.abort();
    },
  });
  await run.ended;
  expect(run.frames.map(headOf).slice(1)).toEqual([
    ['receipt', 'e1.1'],
    ['receipt', 'e1.2'],
  ]);
});

it('a client that takes nothing is waited for: nothing more is read', async () => {
  await append('session-w/s1', ...Array.from({ length: 500 }, (_, n) => requested(`call-${String(n)}`)));
  let reads = 0;
  let takes = (): void => undefined;
  const run = streaming({
    read: ({ id }) => {
      reads++;
      return Promise.resolve({ id });
    },
    write: (text) => (text.startsWith('event: ') ? new Promise((resolve) => (takes = resolve)) : Promise.resolve()),
  });
  for (let n = 0; n < 50; n++) await new Promise((resolve) => setImmediate(resolve));
  expect(reads).toBe(1);
  run.stop.abort();
  takes();
  await run.ended;
  expect(run.frames).toHaveLength(2);
});

it('a sign of life moves the client on past what is not for it', async () => {
  await append('session-v/s1', ...Array.from({ length: 250 }, (_, n) => requested(`call-${String(n)}`)));
  let now = 0;
  const frames = await sent({ clock: () => (now += 10_000) });
  expect(frames.slice(1).map((frame) => frame.split('\n')[0])).toEqual(Array.from({ length: frames.length - 1 }, () => ': heartbeat'));
  expect(headOf(frames.at(-1) ?? '')).toEqual([undefined, 'e1.250']);
});

it('a client that resumed from afar held up everybody’s commands: others have their turn between two events', async () => {
  const events = Array.from({ length: 50 }, (_, n) => requested(`r${String(n)}`));
  await append('session-w/s1', ...events);
  const state = { turns: 0, isOver: false };
  const countTurns = (): void => {
    if (state.isOver) return;
    state.turns++;
    setImmediate(countTurns);
  };
  countTurns();
  const frames = await sent();
  state.isOver = true;
  expect(frames).toHaveLength(events.length + 1);
  expect(state.turns).toBeGreaterThanOrEqual(events.length);
});
