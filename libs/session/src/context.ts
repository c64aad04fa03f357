import type { FingerprintKey } from '@counterfoil/canonical';
import type { Role, SideEffectClass, ToolSpec } from '@counterfoil/contracts';

/** Everything that a decision needs from outside, so that it stays pure and tests never freeze a clock. */
export interface DecisionContext {
  /** Milliseconds since the epoch, of the ledger's clock. */
  readonly now: number;
  /** Who asks. */
  readonly principal: string;
  /** The fingerprint key that the session pinned; for OpenSession the one that it is to pin (promise 4). */
  readonly key: FingerprintKey;
  /** Roles of the key that asks: an attestation may need one (promise 15). */
  readonly roles: readonly Role[];
  /** The workspace's tools and policy, read to their end. */
  readonly registry: ToolDirectory;
}

/** A tool as it is registered, with its input schema ready to use. */
export interface RegisteredTool {
  readonly spec: ToolSpec;
  /**
   * Where the schema is violated, in the schema's own words and never the caller's; null if it is not.
   *
   * @param canonicalArguments arguments in RFC 8785 form
   */
  violation(canonicalArguments: string): string | null;
}

/** What the policy wants of a call, the strictest of all rules that match it. */
export interface PolicyVerdict {
  readonly then: 'allow' | 'require_approval' | 'refuse';
  /** Which rule wanted what: `policy_requires_approval` or `policy_refuses`; `ruleId` null for `unknownTools`. */
  readonly reasons: readonly { readonly code: string; readonly ruleId: string | null }[];
  /** The shortest time that a matching rule allows for an approval; null if none says. */
  readonly expiresSeconds: number | null;
}

/** The tool registry and the policy of a workspace, as they stand at one revision. */
export interface ToolDirectory {
  /** Revision of the registry's last event in decimal digits; null while it has none. */
  readonly revision: string | null;
  /** Null while no policy was set. */
  readonly policyVersion: number | null;
  /** Null for a tool that is not registered, or was retired. */
  find(source: string, name: string): RegisteredTool | null;
  judge(tool: {
    readonly source: string;
    readonly name: string;
    readonly sideEffects: SideEffectClass;
    readonly known: boolean;
  }): PolicyVerdict;
}

/** A workspace in which nothing is registered and no policy is set. */
export const EMPTY_DIRECTORY: ToolDirectory = {
  revision: null,
  policyVersion: null,
  find: () => null,
  judge: () => ({ then: 'allow', reasons: [], expiresSeconds: null }),
};

/** RFC 3339 in UTC with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
