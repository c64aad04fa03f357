/**
 * The input is at fault, not the store.
 *
 * - `read_failed`: it could not be read to its end: missing, cut, damaged, or locked
 * - `not_lines`: it is neither text in UTF-8 nor a database, plain or in gzip
 * - `unknown_database`: a database that holds no table that is known
 */
export type InputErrorCode = 'read_failed' | 'not_lines' | 'unknown_database';

export class InputError extends Error {
  constructor(
    readonly code: InputErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'InputError';
  }
}
