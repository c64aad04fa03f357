import type { Ledger, RegistryPlace } from '@counterfoil/ledger';

/** Where in the registry an answer was found, as clients hold it. */
export interface RegistryAnswer {
  /** Null while the registry has no event. */
  readonly revision: string | null;
  readonly position: string;
}

export function registryAnswer(ledger: Pick<Ledger, 'token'>, { revision, position }: RegistryPlace): RegistryAnswer {
  return { revision: revision === null ? null : revision.toString(), position: ledger.token(position) };
}
