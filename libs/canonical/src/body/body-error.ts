import type { AnomalyKind } from '../scan/visitor.js';

/**
 * - `malformed_json`: the body is not JSON
 * - `invalid_utf8`: it is not UTF-8, outside the members that take any text
 * - `body_anomaly`: it is JSON, but a reader could take it in two ways; `anomaly` says how
 * - `body_too_deep`: it nests deeper than any request does
 * - `body_too_many_values`: it has more values than any request has
 */
export type BodyErrorCode = 'malformed_json' | 'body_anomaly' | 'body_too_deep' | 'body_too_many_values' | 'invalid_utf8';

/** A body that is refused as a whole, with nothing recorded. */
export class BodyError extends Error {
  constructor(
    readonly code: BodyErrorCode,
    /** What and at which UTF-16 offset of the decoded body. Never quotes the body. */
    readonly detail: string,
    readonly position: number,
    readonly anomaly?: AnomalyKind,
  ) {
    super(detail);
    this.name = 'BodyError';
  }
}
