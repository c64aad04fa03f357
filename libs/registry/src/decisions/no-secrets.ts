import { DomainError } from '@counterfoil/contracts';
import { secretRuleOf } from '@counterfoil/redaction';

/**
 * Names are kept verbatim or refused (promise 1).
 *
 * @param names by the field that they came in
 * @throws DomainError `identifier_is_secret`
 */
export function refuseSecrets(names: readonly (readonly [field: string, name: string | null | undefined])[]): void {
  for (const [field, name] of names) {
    if (name === null || name === undefined) continue;
    const rule = secretRuleOf(name);
    if (rule !== null) throw new DomainError('identifier_is_secret', `\`${field}\` looks like a secret.`, { field, rule });
  }
}
