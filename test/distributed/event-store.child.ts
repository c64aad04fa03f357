import {
  startTestEventStoreDb,
  type AppendFaultKind,
  type EventLog,
  type SeenAppend,
  type SeenRead,
  type TestEventStoreDb,
} from '@counterfoil/testing';
import { countUnanswered, type UnansweredAppends } from './unanswered.js';
import { MEMBERS, type Member } from './members.js';
import { serve } from './remote.js';

/** An event as it lies in the test server. */
export interface RawEvent {
  readonly revision: bigint;
  readonly position: bigint;
  readonly id: string;
  readonly type: string;
  /** As text. */
  readonly data: string;
}

/** What is done to the next append of a member: the connection breaks, and it is applied never, before, or later. */
export type DropKind = Extract<AppendFaultKind, 'drop_before' | 'drop_after' | 'drop_late'>;

const LATE_MS = 400;

/** One node of the test server for each member, all over one log. Each takes appends: what the log says decides. */
async function startNodes(): Promise<{ readonly log: EventLog; readonly nodes: ReadonlyMap<Member, TestEventStoreDb> }> {
  const first = await startTestEventStoreDb();
  const nodes = new Map<Member, TestEventStoreDb>();
  for (const member of MEMBERS) nodes.set(member, nodes.size === 0 ? first : await startTestEventStoreDb({ log: first.log }));
  return { log: first.log, nodes };
}

const { log, nodes } = await startNodes();

function nodeOf(member: Member): TestEventStoreDb {
  const node = nodes.get(member);
  if (node === undefined) throw new Error(`there is no member ${member}`);
  return node;
}

const methods = {
  connectionString: (member: Member): string => nodeOf(member).connectionString,
  /** Breaks all connections of a member; gives how many there were. */
  drop: (member: Member): number => {
    const node = nodeOf(member);
    const { connections } = node;
    node.dropAll();
    return connections;
  },
  /** The connection by which the next append of a member comes breaks; resolves when it has come, or after this time; gives whether. */
  dropAtAppend: (member: Member, kind: DropKind, withinMs: number): Promise<boolean> =>
    new Promise((resolve) => {
      const { faults } = nodeOf(member);
      const end = (isDone: boolean): void => {
        clearTimeout(timer);
        faults.decide = null;
        resolve(isDone);
      };
      const timer = setTimeout(() => {
        end(false);
      }, withinMs);
      faults.decide = () => {
        end(true);
        return { kind, ms: LATE_MS };
      };
    }),
  /** The events of a stream, by the name that it has in the server; none where there is no such stream. */
  readStream: (stream: string): readonly RawEvent[] =>
    (log.stream(stream) ?? []).map(({ revision, position, id, type, data }) => ({
      revision,
      position,
      id,
      type,
      data: Buffer.from(data).toString('utf8'),
    })),
  streams: (): readonly string[] => [...new Set(Array.from({ length: log.length }, (_, at) => log.at(at)?.stream ?? ''))],
  /** How many reads of single streams there were, of everything, and subscriptions. */
  reads: (): Readonly<Record<SeenRead['of'], number>> => {
    const counts = { stream: 0, all: 0, subscription: 0 };
    for (const { seenReads } of nodes.values()) for (const { of } of seenReads) counts[of]++;
    return counts;
  },
  unanswered: (): UnansweredAppends => {
    const appends: SeenAppend[] = [...nodes.values()].flatMap(({ seenAppends }) => seenAppends);
    return countUnanswered(appends);
  },
};

export type EventStoreMethods = typeof methods;

serve(methods);
