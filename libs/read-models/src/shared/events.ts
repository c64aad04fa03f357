import type { LedgerEvent } from '@counterfoil/contracts';

/** Events of these types. */
export type EventOf<T extends LedgerEvent['type']> = Extract<LedgerEvent, { type: T }>;
