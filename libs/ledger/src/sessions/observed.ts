import { DomainError } from '@counterfoil/contracts';
import type { LedgerObserver } from '../observers.js';

/** Tells an observer how a command ended. */
export async function observed<T extends { readonly added: number }>(
  observer: LedgerObserver | undefined,
  command: string,
  answer: Promise<T>,
): Promise<T> {
  try {
    const given = await answer;
    observer?.decided(command, given.added > 0 ? 'accepted' : 'same');
    return given;
  } catch (error) {
    observer?.decided(command, error instanceof DomainError ? error.code : 'internal');
    throw error;
  }
}
