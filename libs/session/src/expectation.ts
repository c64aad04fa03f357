import { fileDigest, sha256Hex, type FingerprintKey } from '@counterfoil/canonical';
import type { Expectation, ToolSpec } from '@counterfoil/contracts';
import { commandFingerprint, pathFingerprint } from './fingerprints.js';

const UNAVAILABLE: Expectation = { kind: 'unavailable' };

/**
 * What a call is to bring about: from the tool's effect mapping and the arguments, and fixed with them, so that no report can choose
 * what it is measured by (promise 19). Arguments that don't hold what the mapping points at leave nothing to expect.
 *
 * @param canonicalArguments in RFC 8785 form
 */
export function expectationOf(key: FingerprintKey, spec: ToolSpec | null, canonicalArguments: string): Expectation {
  if (spec === null) return UNAVAILABLE;
  const { effect } = spec;
  if (effect === null) return spec.sideEffects === 'read_only' ? { kind: 'not_applicable' } : UNAVAILABLE;
  const args: unknown = JSON.parse(canonicalArguments);
  return effect.kind === 'file_write'
    ? fileWrite(key, pointed(args, effect.path), pointed(args, effect.content))
    : command(key, spec, pointed(args, effect.command), effect.cwd === undefined ? undefined : pointed(args, effect.cwd));
}

function fileWrite(key: FingerprintKey, path: unknown, content: unknown): Expectation {
  if (typeof path !== 'string' || typeof content !== 'string') return UNAVAILABLE;
  const bytes = new TextEncoder().encode(content);
  return {
    kind: 'file_write',
    pathFingerprint: pathFingerprint(key, path),
    contentDigest: fileDigest(key, sha256Hex(bytes)),
    bytes: bytes.length,
  };
}

function command(key: FingerprintKey, { source, name }: ToolSpec, line: unknown, cwd: unknown): Expectation {
  if (typeof line !== 'string' && !isTexts(line)) return UNAVAILABLE;
  if (cwd !== undefined && cwd !== null && typeof cwd !== 'string') return UNAVAILABLE;
  return { kind: 'command', fingerprint: commandFingerprint(key, { tool: { source, name }, command: line, cwd: cwd ?? null }) };
}

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string');

/** What a JSON pointer (RFC 6901) points at; undefined for nothing. Own members only: `__proto__` is an ordinary key. */
function pointed(value: unknown, pointer: string): unknown {
  let at = value;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key) || (Array.isArray(at) && !/^(?:0|[1-9][0-9]*)$/.test(key))) {
      return undefined;
    }
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}
