import { canonicalize, quote } from '../form/canonicalize.js';
import type { FingerprintKey } from './keyed.js';
import { keyed } from './keyed.js';

/** A tool, named with the server that has it. */
export interface ToolName {
  readonly source: string;
  readonly name: string;
}

export interface OperationParts {
  readonly workspaceId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly tool: ToolName;
  /** The full arguments in RFC 8785 form, as admission gave them. */
  readonly canonicalArguments: string;
}

export interface RequestParts {
  /** native, legacy or synthetic. */
  readonly callIdSource: string;
  readonly tool: ToolName;
  /** What the caller declared about the tool, in RFC 8785 form; null if nothing. */
  readonly declared: string | null;
  /** Canonical text, or the text as it came if it was not admitted. */
  readonly arguments: { readonly canonical: string } | { readonly raw: string };
  readonly taskId: string | null;
  readonly requireApproval: boolean;
  readonly approvalExpiresSeconds: number | null;
}

/**
 * What would be done (promise 3): one id for one tool with the same arguments in one session. No call id in it.
 * Tag `operation`, over the RFC 8785 form of [workspace, user, session, tool source, tool name, arguments].
 */
export function operationId(key: FingerprintKey, parts: OperationParts): string {
  const scope = [parts.workspaceId, parts.userId, parts.sessionId, parts.tool.source, parts.tool.name];
  return keyed(key, 'operation', `[${scope.map(quote).join(',')},${parts.canonicalArguments}]`);
}

/**
 * JSON text of malformed arguments as a JSON string that holds the JSON string of it: lone surrogates are escaped in the
 * inner one, so that they stay distinct and the outer one is well-formed.
 */
const rawArguments = (text: string): string => canonicalize({ raw: JSON.stringify(text) });

/**
 * What was originally requested (promise 2): the same again has the same fingerprint. Not the time, not the spelling.
 * Tag `request`, over the RFC 8785 form of [call id source, tool source, tool name, declared, arguments, task,
 * approval required, approval expiry in seconds], with arguments as {"canonical": value} or {"raw": string}.
 */
export function requestFingerprint(key: FingerprintKey, parts: RequestParts): string {
  const items = [
    quote(parts.callIdSource),
    quote(parts.tool.source),
    quote(parts.tool.name),
    parts.declared ?? 'null',
    'raw' in parts.arguments ? rawArguments(parts.arguments.raw) : `{"canonical":${parts.arguments.canonical}}`,
    canonicalize(parts.taskId),
    canonicalize(parts.requireApproval),
    canonicalize(parts.approvalExpiresSeconds),
  ];
  return keyed(key, 'request', `[${items.join(',')}]`);
}
