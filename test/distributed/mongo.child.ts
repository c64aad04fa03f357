import { collectionOf, WireProxy, wireWriteReader, type WireFate } from '@counterfoil/testing';
import { checkChains } from './chains.js';
import { MEMBERS, type Member } from './members.js';
import { serve } from './remote.js';
import { guardedOf, type Guarded, type Unguarded } from './writes.js';

/** A bulk that waits in a proxy, and what has become of its writes. */
export interface HeldBulk {
  readonly writes: number;
  /** For so many of them another member has done the same since. */
  readonly overtaken: number;
  /** After its release: how many were refused, and how many done. */
  readonly refused: number;
  readonly applied: number;
}

/** A bulk of fewer is held only when no greater one has come for this time. */
const GREAT = 4;
const PATIENCE_MS = 4000;

/** The collection whose bulks are held: the first that is written of a batch. */
const HELD = /^d_.*_receipts$/;

const [server = ''] = process.argv.slice(2);
const read = await wireWriteReader();
const record: (Guarded | Unguarded)[] = [];
/** The guards that were met by done writes, for the held bulk's sake. */
const met = new Map<string, string>();
let held: { readonly by: Member; readonly writes: readonly Guarded[] } | null = null;

function guardedIn(member: Member, request: Buffer, answer: Buffer | null): readonly (Guarded | Unguarded)[] {
  return read(request, answer).flatMap((write) => guardedOf(write, member) ?? []);
}

function note(member: Member, request: Buffer, answer: Buffer | null): void {
  for (const write of guardedIn(member, request, answer)) {
    record.push(write);
    if ('fate' in write && write.fate === 'applied') met.set(placeOf(write), write.by);
  }
}

const placeOf = ({ key, expected }: Guarded): string => `${key} ${String(expected)}`;

const proxies = new Map<Member, WireProxy>();
for (const member of MEMBERS)
  proxies.set(
    member,
    await WireProxy.start(server, (request, answer) => {
      note(member, request, answer);
    }),
  );

function proxyOf(member: Member): WireProxy {
  const proxy = proxies.get(member);
  if (proxy === undefined) throw new Error(`there is no member ${member}`);
  return proxy;
}

/** Does this to the first request that fits; gives whether one came within the time. */
function once(member: Member, fits: (command: string, request: Buffer) => boolean, fate: WireFate, withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const proxy = proxyOf(member);
    const end = (isDone: boolean): void => {
      clearTimeout(timer);
      proxy.onCommand(() => 'pass');
      resolve(isDone);
    };
    const timer = setTimeout(() => {
      end(false);
    }, withinMs);
    proxy.onCommand((command, request) => {
      if (!fits(command, request)) return 'pass';
      end(true);
      return fate;
    });
  });
}

const methods = {
  url: (member: Member, database: string): string => `${proxyOf(member).url}${database}`,
  /** Breaks the connection by which the next read or write of a member comes, before or after it is done; all, when none comes. */
  drop: async (member: Member, fate: 'lose' | 'lose_answer', withinMs: number): Promise<boolean> => {
    const isWork = (command: string): boolean => ['find', 'insert', 'update', 'count', 'aggregate'].includes(command);
    const isDone = await once(member, isWork, fate, withinMs);
    if (!isDone) proxyOf(member).cut();
    return isDone;
  },
  /** Holds the next bulk of changes to receipts; resolves when it is here. */
  hold: (member: Member, withinMs: number): Promise<boolean> => {
    const since = performance.now();
    const fits = (command: string, request: Buffer): boolean => {
      if (command !== 'update' || !HELD.test(collectionOf(request))) return false;
      const writes = guardedIn(member, request, null).filter((write): write is Guarded => 'fate' in write);
      if (writes.length < GREAT && performance.now() - since < PATIENCE_MS) return false;
      held = { by: member, writes };
      return true;
    };
    return once(member, fits, 'hold', withinMs);
  },
  heldBulk: (): HeldBulk => {
    const writes = held?.writes ?? [];
    const overtaken = writes.filter((write) => (met.get(placeOf(write)) ?? held?.by) !== held?.by).length;
    const fates = record.filter((write): write is Guarded => 'fate' in write && write.by === held?.by && keys().has(placeOf(write)));
    const count = (fate: Guarded['fate']): number => fates.filter((write) => write.fate === fate).length;
    return { writes: writes.length, overtaken, refused: count('refused'), applied: count('applied') };
  },
  release: (member: Member): Promise<void> => proxyOf(member).release(),
  report: () => checkChains(record),
};

const keys = (): ReadonlySet<string> => new Set((held?.writes ?? []).map(placeOf));

export type MongoMethods = typeof methods;

serve(methods);
