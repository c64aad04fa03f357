import { setImmediate as nextTurn } from 'node:timers/promises';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { AppendReq, AppendResp as AppendRespMessage } from '@eventstore/db-client/generated/streams_pb.js';
import type { handleClientStreamingCall, ServerReadableStream, ServiceError } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import type { AppendFault, SeenAppend } from './faults.js';
import type { AppendOutcome, ExpectedVersion, ProposedRecord } from './log.js';
import { accessDenied, empty, idOf, notLeader, rpcError, streamDeleted, streamName, timedOut, unavailable } from './messages.js';
import { asksForLeader } from './node.js';
import type { TestNode } from './node.js';

const { AppendResp } = streams;
const ODD = 7n;

/** An append in the words of the log, whichever call brought it. */
export interface IncomingAppend {
  readonly stream: string;
  readonly expected: ExpectedVersion;
  readonly events: readonly ProposedRecord[];
  readonly seen: SeenAppend;
}

/** How an append ends: `outcome` null with no error means that it gets no answer. */
export interface Settled {
  readonly outcome: AppendOutcome | null;
  readonly error: ServiceError | null;
  readonly fault: AppendFault | null;
}

/** Applies an append, or doesn't, as the fault of its turn says, and tells how it is answered. */
export function settle(node: TestNode, call: { getPeer(): string }, append: IncomingAppend, answer: (settled: Settled) => void): void {
  node.seenAppends.push(append.seen);
  const fault = node.faults.forAppend(append.seen);
  const leader = node.leader();
  const refused = refusal(node, append, fault, leader === null ? null : notLeader(leader));
  if (refused !== null) {
    answer({ outcome: null, error: refused, fault });
    return;
  }
  if (fault?.kind === 'drop_before') {
    node.drop(call);
  } else if (fault?.kind === 'not_ready') {
    node.later(fault.ms ?? node.writeTimeoutMs, () => answer({ outcome: null, error: timedOut('Prepare phase'), fault }));
  } else if (fault?.kind === 'late' || fault?.kind === 'drop_late') {
    if (fault.kind === 'drop_late') node.drop(call);
    node.later(fault.ms ?? node.writeTimeoutMs, () => void apply(node, append));
  } else {
    answerApplied(node, call, apply(node, append), fault, answer);
  }
}

function refusal(node: TestNode, append: IncomingAppend, fault: AppendFault | null, wrongNode: ServiceError | null): ServiceError | null {
  if (fault?.kind === 'denied') return accessDenied();
  // A follower forwards an append to its leader, unless the call says that it must not.
  if (wrongNode !== null && append.seen.requiresLeader) return wrongNode;
  if (fault?.kind === 'not_leader') return wrongNode ?? notLeader({ host: '127.0.0.1', port: 1 });
  return node.log.isTombstoned(append.stream) ? streamDeleted(append.stream) : null;
}

function apply(node: TestNode, append: IncomingAppend): AppendOutcome {
  const outcome = node.log.append(append.stream, append.expected, append.events);
  append.seen.outcome = outcome.kind;
  return outcome;
}

function answerApplied(
  node: TestNode,
  call: { getPeer(): string },
  outcome: AppendOutcome,
  fault: AppendFault | null,
  answer: (settled: Settled) => void,
): void {
  const settled: Settled = { outcome, error: null, fault };
  switch (fault?.kind) {
    case 'drop_after':
      node.drop(call);
      return;
    case 'lose_answer':
      return;
    case 'delay':
      node.later(fault.ms ?? 0, () => answer(settled));
      return;
    case 'cancelled':
      answer({ outcome: null, error: rpcError(status.CANCELLED, 'The request was cancelled'), fault });
      return;
    case 'unavailable':
      answer({ outcome: null, error: unavailable(), fault });
      return;
    default:
      answer(settled);
      if (fault?.kind === 'answer_twice') answer(settled);
  }
}

/** Streams.Append: one call for each append. */
export function appendHandler(node: TestNode): handleClientStreamingCall<AppendReq, AppendRespMessage> {
  return (call, callback) => {
    const requests: AppendReq[] = [];
    call.on('data', (request: AppendReq) => requests.push(request));
    const settled = (): void => {
      // A call that its sender gave up in the middle ends, too, before it says that it was cancelled: what came of it is no append.
      if (call.cancelled) return;
      settle(node, call, incoming(call, requests), ({ outcome, error, fault }) => {
        if (error !== null) callback(error);
        else if (outcome !== null) callback(null, responseOf(outcome, fault));
      });
    };
    call.on('end', () => void afterTurns(3).then(settled));
    call.on('error', () => undefined);
  };
}

/** Turns of the event loop: as many as it takes a broken call to be known as one. */
async function afterTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await nextTurn();
}

function incoming(call: ServerReadableStream<AppendReq, AppendRespMessage>, requests: readonly AppendReq[]): IncomingAppend {
  const options = requests[0]?.getOptions();
  if (options === undefined) throw new Error('an append begins with its options');
  const events = requests.slice(1).map((request) => proposed(request.getProposedMessage()));
  const expected: ExpectedVersion = options.hasNoStream()
    ? 'no_stream'
    : options.hasAny()
      ? 'any'
      : options.hasStreamExists()
        ? 'stream_exists'
        : BigInt(options.getRevision());
  const stream = streamName(options.getStreamIdentifier());
  const { metadata } = call;
  const hasDeadline = Number.isFinite(Number(call.getDeadline()));
  return { stream, expected, events, seen: seenOf('Append', { stream, expected, events }, asksForLeader(metadata), hasDeadline) };
}

export function seenOf(
  rpc: SeenAppend['rpc'],
  append: Pick<IncomingAppend, 'stream' | 'expected' | 'events'>,
  requiresLeader: boolean,
  hasDeadline: boolean,
): SeenAppend {
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
  return {
    rpc,
    stream: append.stream,
    expected: String(append.expected),
    ids: append.events.map(({ id }) => id),
    content: append.events.map(({ data, metadata }) => `${text(data)} ${text(metadata)}`).join('\n'),
    requiresLeader,
    hasDeadline,
    fault: null,
    outcome: null,
  };
}

/** The messages of both calls have the same members. */
export function proposed(
  message:
    | Pick<NonNullable<ReturnType<AppendReq['getProposedMessage']>>, 'getId' | 'getMetadataMap' | 'getData_asU8' | 'getCustomMetadata_asU8'>
    | undefined,
): ProposedRecord {
  if (message === undefined) throw new Error('an append holds events after its options');
  const metadata = message.getMetadataMap();
  return {
    id: idOf(message.getId()),
    type: metadata.get('type') ?? '',
    contentType: metadata.get('content-type') ?? '',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

/** The revision to answer with: one that can't be, where the fault says so. */
export const answeredRevision = (revision: bigint, fault: AppendFault | null): bigint =>
  fault?.kind === 'odd_revision' ? revision + ODD : revision;

function responseOf(outcome: AppendOutcome, fault: AppendFault | null): AppendRespMessage {
  if (outcome.kind === 'deleted') throw new Error('a tombstoned stream is refused before');
  if (outcome.kind === 'wrong_version') {
    const wrong = new AppendResp.WrongExpectedVersion();
    if (outcome.current === null) wrong.setCurrentNoStream(empty());
    else wrong.setCurrentRevision(String(outcome.current));
    return new AppendResp().setWrongExpectedVersion(wrong.setExpectedAny(empty()));
  }
  const success = new AppendResp.Success().setCurrentRevision(String(answeredRevision(outcome.revision, fault)));
  const at = String(outcome.position);
  if (fault?.kind === 'no_position') success.setNoPosition(empty());
  else success.setPosition(new AppendResp.Position().setCommitPosition(at).setPreparePosition(at));
  return new AppendResp().setSuccess(success);
}
