import type { FingerprintKey } from '@counterfoil/canonical';
import type { ToolSchemas } from './schema/tool-schemas.js';

/** What a decision on the registry needs from outside. */
export interface RegistryContext {
  /** For the digest of what is free text. */
  readonly key: FingerprintKey;
  /** A schema is registered only if a check could be made of it. */
  readonly schemas: ToolSchemas;
}
