import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { handleServerStreamingCall } from '@grpc/grpc-js';
import { fail, invalidPosition } from './answers.js';
import type { ReadCall } from './answers.js';
import type { LogRecord } from './log.js';
import { accessDenied, notFound, notLeader, readEvent, streamDeleted, streamName, unavailable } from './messages.js';
import { asksForLeader } from './node.js';
import type { TestNode } from './node.js';
import { subscribe } from './subscriptions.js';

const isBackwards = (options: ReadReq.Options): boolean => options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;

/** Streams.Read: a stream or `$all`, in either direction, or a subscription to `$all`. */
export function readHandler(node: TestNode): handleServerStreamingCall<ReadReq, ReadResp> {
  return (call) => {
    call.on('error', () => undefined);
    trackOpen(node, call);
    const options = call.request.getOptions();
    if (options === undefined) throw new Error('a read has options');
    const requiresLeader = asksForLeader(call.metadata);
    const of = options.hasSubscription() ? 'subscription' : options.hasStream() ? 'stream' : 'all';
    node.seenReads.push({ of, requiresLeader, maxCount: BigInt(options.getCount()), from: fromOf(options) });
    const fault = node.faults.forRead();
    const leader = node.leader();
    if (fault === 'drop') node.drop(call);
    else if (fault === 'denied') fail(call, accessDenied());
    else if (fault === 'unavailable') fail(call, unavailable());
    else if (fault === 'not_leader' || (requiresLeader && leader !== null)) fail(call, notLeader(leader ?? { host: '127.0.0.1', port: 1 }));
    else if (fault !== 'stall') answer(node, call, options, requiresLeader ? node.log.length : node.visible());
  };
}

function trackOpen(node: TestNode, call: ReadCall): void {
  node.openReads.add(call);
  const end = (): void => {
    node.openReads.delete(call);
  };
  for (const event of ['cancelled', 'finish', 'close', 'error']) call.once(event, end);
}

function fromOf(options: ReadReq.Options): string {
  const all = options.getAll();
  const stream = options.getStream();
  if ((all?.hasStart() ?? false) || (stream?.hasStart() ?? false)) return 'start';
  if ((all?.hasEnd() ?? false) || (stream?.hasEnd() ?? false)) return 'end';
  return all?.getPosition()?.getCommitPosition() ?? stream?.getRevision() ?? '';
}

function answer(node: TestNode, call: ReadCall, options: ReadReq.Options, visible: number): void {
  if (options.hasSubscription()) subscribe(node, call, options);
  else if (options.hasStream()) readStream(node, call, options, visible);
  else readAll(node, call, options, visible);
}

function readStream(node: TestNode, call: ReadCall, options: ReadReq.Options, visible: number): void {
  const name = streamName(options.getStream()?.getStreamIdentifier());
  if (node.log.isTombstoned(name)) {
    fail(call, streamDeleted(name));
    return;
  }
  const before = node.log.at(visible)?.position ?? null;
  const records = (node.log.stream(name) ?? []).filter(({ position }) => before === null || position < before);
  if (records.length === 0) {
    call.write(notFound(name));
    call.end();
    return;
  }
  send(call, inDirection(records, options), BigInt(options.getCount()));
}

function inDirection(records: readonly LogRecord[], options: ReadReq.Options): readonly LogRecord[] {
  const stream = options.getStream();
  const backwards = isBackwards(options);
  const ordered = backwards ? records.toReversed() : records;
  if (stream?.hasRevision() !== true) return stream?.hasEnd() === true && !backwards ? [] : ordered;
  const from = BigInt(stream.getRevision());
  return ordered.filter(({ revision }) => (backwards ? revision <= from : revision >= from));
}

/** Forwards from a position it is included, backwards it is not: there it is the place after the record. */
function readAll(node: TestNode, call: ReadCall, options: ReadReq.Options, visible: number): void {
  const backwards = isBackwards(options);
  const start = startOf(node, options, visible, backwards);
  if (start === null) {
    fail(call, invalidPosition(node));
    return;
  }
  const step = backwards ? -1 : 1;
  const records = function* (): Generator<LogRecord> {
    for (let at = start; at >= 0 && at < visible; at += step) {
      const record = node.log.at(at);
      if (record !== undefined) yield record;
    }
  };
  send(call, records(), BigInt(options.getCount()));
}

function startOf(node: TestNode, options: ReadReq.Options, visible: number, backwards: boolean): number | null {
  const all = options.getAll();
  const position = all?.getPosition();
  if (all === undefined || position === undefined) return (all?.hasEnd() === true) === backwards ? (backwards ? visible - 1 : 0) : -1;
  const place = node.log.placeOf(BigInt(position.getCommitPosition()));
  if (place.kind === 'at') return backwards ? Math.min(place.index, visible) - 1 : place.index;
  // Beyond the end there is nothing forwards, and backwards it is an error.
  return place.kind === 'end' && !backwards ? visible : null;
}

/** Until so many are sent, the records end or the client has cancelled. */
function send(call: ReadCall, records: Iterable<LogRecord>, count: bigint): void {
  const iterator = records[Symbol.iterator]();
  let left = count;
  const more = (): void => {
    while (!call.cancelled) {
      const next = left > 0n ? iterator.next() : { done: true as const };
      if (next.done === true) {
        call.end();
        return;
      }
      left--;
      if (!call.write(readEvent(next.value))) {
        call.once('drain', more);
        return;
      }
    }
  };
  more();
}
