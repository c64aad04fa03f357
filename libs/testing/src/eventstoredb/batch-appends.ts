import shared from '@eventstore/db-client/generated/shared_pb.js';
import statusMessages from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Status } from '@eventstore/db-client/generated/status_pb.js';
import type { BatchAppendReq, BatchAppendResp as BatchAppendRespMessage } from '@eventstore/db-client/generated/streams_pb.js';
import type { handleBidiStreamingCall, ServerDuplexStream } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import anyMessages from 'google-protobuf/google/protobuf/any_pb.js';
import emptyMessages from 'google-protobuf/google/protobuf/empty_pb.js';
import { answeredRevision, proposed, seenOf, settle } from './appends.js';
import type { IncomingAppend, Settled } from './appends.js';
import type { AppendFault } from './faults.js';
import type { AppendOutcome, ExpectedVersion, ProposedRecord } from './log.js';
import { idOf, millisOf, streamIdentifier, streamName, uuidOf } from './messages.js';
import { asksForLeader } from './node.js';
import type { TestNode } from './node.js';

const { BatchAppendResp } = streams;

type Call = ServerDuplexStream<BatchAppendReq, BatchAppendRespMessage>;

interface Batch {
  readonly stream: string;
  readonly expected: ExpectedVersion;
  readonly events: ProposedRecord[];
  readonly hasDeadline: boolean;
}

/** Streams.BatchAppend: one long call for all appends of a client, told apart by their correlation ids. */
export function batchAppendHandler(node: TestNode): handleBidiStreamingCall<BatchAppendReq, BatchAppendRespMessage> {
  return (call) => {
    const batches = new Map<string, Batch>();
    const requiresLeader = asksForLeader(call.metadata);
    call.on('data', (request: BatchAppendReq) => {
      const correlation = idOf(request.getCorrelationId());
      const batch = batches.get(correlation) ?? begun(request);
      batches.set(correlation, batch);
      batch.events.push(...request.getProposedMessagesList().map(proposed));
      if (!request.getIsFinal()) return;
      batches.delete(correlation);
      const append: IncomingAppend = { ...batch, seen: seenOf('BatchAppend', batch, requiresLeader, batch.hasDeadline) };
      settle(node, call, append, (settled) => {
        reply(call, correlation, batch.stream, settled);
      });
    });
    call.on('end', () => call.end());
    call.on('error', () => undefined);
  };
}

function begun(request: BatchAppendReq): Batch {
  const options = request.getOptions();
  if (options === undefined) throw new Error('a batch begins with its options');
  const expected: ExpectedVersion = options.hasNoStream()
    ? 'no_stream'
    : options.hasAny()
      ? 'any'
      : options.hasStreamExists()
        ? 'stream_exists'
        : BigInt(options.getStreamPosition());
  const stream = streamName(options.getStreamIdentifier());
  return { stream, expected, events: [], hasDeadline: Number.isFinite(millisOf(options.getDeadline())) };
}

function reply(call: Call, correlation: string, stream: string, { outcome, error, fault }: Settled): void {
  // A status ends the long call, and with it every append that waits on it.
  if (error !== null && error.code !== status.ABORTED) {
    call.emit('error', error);
    return;
  }
  const response = new BatchAppendResp().setCorrelationId(uuidOf(correlation)).setStreamIdentifier(streamIdentifier(stream));
  if (error !== null) response.setError(detailed('Timeout', new shared.Timeout()));
  else if (outcome !== null) fill(response, outcome, fault);
  call.write(response);
}

function fill(response: BatchAppendRespMessage, outcome: AppendOutcome, fault: AppendFault | null): void {
  if (outcome.kind === 'deleted') throw new Error('a tombstoned stream is refused before');
  if (outcome.kind === 'wrong_version') {
    const wrong = new shared.WrongExpectedVersion().setExpectedAny(new emptyMessages.Empty());
    if (outcome.current === null) wrong.setCurrentNoStream(new emptyMessages.Empty());
    else wrong.setCurrentStreamRevision(String(outcome.current));
    response.setError(detailed('WrongExpectedVersion', wrong));
    return;
  }
  const success = new BatchAppendResp.Success().setCurrentRevision(String(answeredRevision(outcome.revision, fault)));
  const at = String(outcome.position);
  if (fault?.kind === 'no_position') success.setNoPosition(new emptyMessages.Empty());
  else success.setPosition(new shared.AllStreamPosition().setCommitPosition(at).setPreparePosition(at));
  response.setSuccess(success);
}

function detailed(name: string, message: { serializeBinary(): Uint8Array }): Status {
  const details = new anyMessages.Any();
  details.pack(message.serializeBinary(), `event_store.client.${name}`);
  return new statusMessages.Status().setMessage(name).setDetails(details);
}
