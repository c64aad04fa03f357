import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import { LEDGER_STEPS, UpcastingRegistry } from '@counterfoil/event-store';
import { RECEIPT_IMPORTED_V1 } from '@counterfoil/history';

/**
 * The one registry that every reader of events goes through (promise 25, case 50).
 *
 * @throws BrokenUpcastChainError at the start, when a stored version has no path to the current one
 */
export const createRegistry = (): UpcastingRegistry =>
  new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: [...LEDGER_STEPS, RECEIPT_IMPORTED_V1] });
