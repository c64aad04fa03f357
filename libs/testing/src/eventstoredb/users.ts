import type { Metadata, ServiceError } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import { rpcError } from './messages.js';

interface AnyCall {
  readonly metadata: Metadata;
  emit(event: 'error', error: ServiceError): boolean;
}

/**
 * A handler that answers this user only.
 *
 * @param credentials `user:password`; undefined: whoever calls
 */
export function forUser<C extends AnyCall, R extends readonly unknown[]>(
  credentials: string | undefined,
  handler: (call: C, ...rest: R) => void,
): (call: C, ...rest: R) => void {
  if (credentials === undefined) return handler;
  const expected = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return (call, ...rest) => {
    const given = call.metadata.get('authorization').map(String);
    if (given.includes(expected)) {
      handler(call, ...rest);
      return;
    }
    const error = rpcError(status.UNAUTHENTICATED, 'Not Authenticated');
    const [answer] = rest;
    if (typeof answer === 'function') (answer as (error: ServiceError) => void)(error);
    else call.emit('error', error);
  };
}
