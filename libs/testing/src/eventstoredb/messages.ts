import type { Timestamp } from 'google-protobuf/google/protobuf/timestamp_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ReadResp as ReadRespMessage } from '@eventstore/db-client/generated/streams_pb.js';
import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import { Metadata, status } from '@grpc/grpc-js';
import type { ServiceError } from '@grpc/grpc-js';
import type { LogRecord } from './log.js';

const { ReadResp } = streams;
const TICKS_PER_MS = 10_000n;

export function streamName(identifier: StreamIdentifier | undefined): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');
}

export function streamIdentifier(name: string): StreamIdentifier {
  return new shared.StreamIdentifier().setStreamName(Uint8Array.from(Buffer.from(name)));
}

/** In lower case, as the server gives it back. */
export function idOf(uuid: UUID | undefined): string {
  if (uuid === undefined) throw new Error('a message without an id');
  return uuid.getString().toLowerCase();
}

export const uuidOf = (id: string): UUID => new shared.UUID().setString(id);

export function readEvent(record: LogRecord): ReadRespMessage {
  const { position } = record;
  const recorded = new ReadResp.ReadEvent.RecordedEvent()
    .setId(uuidOf(record.id))
    .setStreamIdentifier(streamIdentifier(record.stream))
    .setStreamRevision(String(record.revision))
    .setCommitPosition(String(position))
    .setPreparePosition(String(position))
    .setData(record.data)
    .setCustomMetadata(record.metadata);
  const metadata = recorded.getMetadataMap();
  metadata.set('type', record.type);
  metadata.set('content-type', record.contentType);
  metadata.set('created', String(BigInt(record.created.getTime()) * TICKS_PER_MS));
  return new ReadResp().setEvent(new ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(String(position)));
}

export function checkpoint(position: bigint): ReadRespMessage {
  const at = String(position);
  return new ReadResp().setCheckpoint(new ReadResp.Checkpoint().setCommitPosition(at).setPreparePosition(at));
}

export const caughtUp = (): ReadRespMessage => new ReadResp().setCaughtUp(new ReadResp.CaughtUp());

export const confirmation = (id: string): ReadRespMessage =>
  new ReadResp().setConfirmation(new ReadResp.SubscriptionConfirmation().setSubscriptionId(id));

export const notFound = (stream: string): ReadRespMessage =>
  new ReadResp().setStreamNotFound(new ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(stream)));

export const empty = (): InstanceType<typeof shared.Empty> => new shared.Empty();

/** An error as the server sends it: a status, and for some the name of its exception in the trailers. */
export function rpcError(code: status, details: string, trailers: Readonly<Record<string, string>> = {}): ServiceError {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return Object.assign(new Error(details), { name: 'RpcError', code, details, metadata });
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

export const notLeader = (leader: Address): ServiceError =>
  rpcError(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': leader.host,
    'leader-endpoint-port': String(leader.port),
  });

export const accessDenied = (): ServiceError => rpcError(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });

export const timedOut = (what: string): ServiceError => rpcError(status.ABORTED, `Operation timed out: ${what}`);

export const unavailable = (): ServiceError => rpcError(status.UNAVAILABLE, 'Server Is Not Ready');

export const streamDeleted = (stream: string): ServiceError =>
  rpcError(status.FAILED_PRECONDITION, 'Event stream is deleted.', { exception: 'stream-deleted', 'stream-name': stream });

export const millisOf = (timestamp: Timestamp | undefined): number => timestamp?.toDate().getTime() ?? Number.POSITIVE_INFINITY;
