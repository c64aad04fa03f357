import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream, ServiceError } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import { rpcError } from './messages.js';
import type { TestNode } from './node.js';

export type ReadCall = ServerWritableStream<ReadReq, ReadResp>;

/** Ends a call with a status. */
export function fail(call: ReadCall, error: ServiceError): void {
  call.emit('error', error);
}

/** An invalid position, as either generation answers it. */
export function invalidPosition(node: TestNode): ServiceError {
  return node.generation === '23.10'
    ? rpcError(status.UNKNOWN, 'Unexpected ReadAllResult: Error')
    : rpcError(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.');
}
