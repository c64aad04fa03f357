import { canonicalize, keyed, type FingerprintKey } from '@counterfoil/canonical';

/** A command line, or its arguments one by one: exactly as it stands, since ` && …` or a second space make it another one (case 35). */
export interface ExactCommand {
  readonly tool: { readonly source: string; readonly name: string };
  readonly command: string | readonly string[];
  /** Working directory; null where none is named, which is another one than any that is. */
  readonly cwd: string | null;
}

/** Tag `command`, over the RFC 8785 form of [tool source, tool name, command, working directory] (promise 15). */
export function commandFingerprint(key: FingerprintKey, { tool, command, cwd }: ExactCommand): string {
  return keyed(key, 'command', canonicalize([tool.source, tool.name, command, cwd]));
}

/** Tag `path`, over the RFC 8785 form of the path: exactly as it stands, nothing is resolved. */
export function pathFingerprint(key: FingerprintKey, path: string): string {
  return keyed(key, 'path', canonicalize(path));
}

/**
 * Tag `content`: what a plan or task command said, so that the same again is recognised.
 *
 * @param facts JSON values; text that may hold lone surrogates goes in as its JSON spelling
 */
export function saidFingerprint(key: FingerprintKey, facts: readonly unknown[]): string {
  return keyed(key, 'content', canonicalize(facts));
}
