import type { SessionEvent } from '@counterfoil/contracts';
import type { ToolDirectory } from '@counterfoil/session';

/** Where an event is recorded: when, by whom, with which tools and policy. */
export interface Recorded {
  readonly now: number;
  readonly by: string;
  readonly revision: number;
  readonly registry: ToolDirectory;
}

export type EventTo<T extends SessionEvent['type']> = Extract<SessionEvent, { readonly type: T }>;
export type CallEvent = Extract<SessionEvent, { readonly data: { readonly receiptId: string } }>;

export const isOfCall = (event: SessionEvent): event is CallEvent => 'receiptId' in event.data;

export function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`a promise is broken: ${what}`);
}
