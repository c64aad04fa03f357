import { receiptId } from '@counterfoil/canonical';
import type { Role } from '@counterfoil/contracts';
import type { SessionCommand } from '@counterfoil/session';
import type { Intent } from '../reference/intents.js';
import type { Reference } from '../reference/ledger.js';
import type { Call } from '../reference/shapes.js';
import type { CallRef, CommandStep } from '../steps.js';
import { PRINCIPALS, SESSIONS } from '../words.js';

export const WORKSPACE = 'w1';

/** One command in both languages: as the reference understands it, and as the decider does. */
export interface Resolved {
  readonly session: string;
  readonly principal: string;
  readonly roles: readonly Role[];
  readonly intent: Intent;
  readonly command: SessionCommand;
  /** The same step with places instead of "the newest": it says the same in a script that others were taken out of. */
  readonly pinned: CommandStep;
}

/** What steps are resolved against: what there is so far, and the decider's names of operations. */
export interface Surroundings {
  readonly reference: Reference;
  /** The id of an operation of this session. */
  idOf(session: string, operation: string): string;
}

export function pick<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`the list has no item ${index}`);
  return item;
}

export const sessionAt = (index: number): string => pick(SESSIONS, index);
export const principalAt = (index: number): string => pick(PRINCIPALS, index);
export const AGENT = { principal: pick(PRINCIPALS, 0), roles: ['agent'] } as const;

export interface Place {
  readonly session: string;
  readonly turn: string;
  readonly id: string;
  readonly receiptId: string;
  /** Undefined for one that nobody requested. */
  readonly call: Call | undefined;
  readonly pinned: CallRef;
}

/** The call that a step speaks of, among those that it can be about. */
export function placeOf(ref: CallRef, reference: Reference, isMeant: (call: Call) => boolean = () => true): Place {
  const session = sessionAt(ref.session);
  const calls = reference.sessions.get(session)?.calls.filter(isMeant) ?? [];
  const call = 'nth' in ref ? newest(calls, ref.nth) : calls.find((one) => one.turn === ref.turn && one.id === ref.id);
  const named = 'nth' in ref ? { turn: call?.turn ?? 'no turn', id: call?.id ?? 'no call' } : { turn: ref.turn, id: ref.id };
  const { turn, id } = named;
  return {
    ...{ session, turn, id, call },
    receiptId: receiptId({ workspaceId: WORKSPACE, sessionId: session, turn, callId: id }),
    pinned: { session: ref.session, turn, id },
  };
}

/** Counted from the newest, round and round. */
function newest<T>(list: readonly T[], n: number | null): T | undefined {
  return n === null || list.length === 0 ? undefined : list[list.length - 1 - (n % list.length)];
}
