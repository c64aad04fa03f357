import { randomUUID } from 'node:crypto';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { fail, invalidPosition } from './answers.js';
import type { ReadCall } from './answers.js';
import type { LogRecord } from './log.js';
import { caughtUp, checkpoint, confirmation, readEvent, timedOut } from './messages.js';
import type { LiveSubscription, TestNode } from './node.js';

/** A catch-up subscription to `$all`, with a filter (stack.md, EventStoreDB rows 3 and 6). */
export function subscribe(node: TestNode, call: ReadCall, options: ReadReq.Options): void {
  const start = startOf(node, options);
  if (start === null) {
    fail(call, invalidPosition(node));
    return;
  }
  const subscription = new Subscription(node, call, options, start);
  node.subscriptions.add(subscription);
  const stop = node.log.onWritten(() => {
    subscription.wake();
  });
  const end = (): void => {
    stop();
    node.subscriptions.delete(subscription);
  };
  call.once('cancelled', end);
  call.once('close', end);
  call.once('finish', end);
  subscription.begin();
}

/** Where it begins: an index, or `after` a position that the log has not reached; null if the position is invalid. */
type Start = { readonly index: number } | { readonly after: bigint };

function startOf(node: TestNode, options: ReadReq.Options): Start | null {
  const all = options.getAll();
  const position = all?.getPosition();
  if (position === undefined) return { index: all?.hasEnd() === true ? node.log.length : 0 };
  const after = BigInt(position.getCommitPosition());
  const place = node.log.placeOf(after);
  if (place.kind === 'at') return { index: place.index + 1 };
  return place.kind === 'end' ? { after } : node.generation === '23.10' ? skipped(node, after) : null;
}

/** This generation reads one record from there and goes on after it, whichever it was. */
const skipped = (node: TestNode, after: bigint): Start => ({ index: node.log.firstFrom(after) + 1 });

class Subscription implements LiveSubscription {
  stalled = false;
  isLive = false;
  private next: number;
  private readonly after: bigint;
  private considered = 0;
  private blocked = false;
  private waiting = 0;
  private readonly matches: (record: LogRecord) => boolean;
  private readonly checkpointAfter: number;

  constructor(
    private readonly node: TestNode,
    private readonly call: ReadCall,
    options: ReadReq.Options,
    start: Start,
  ) {
    this.next = 'index' in start ? start.index : node.log.length;
    this.after = 'after' in start ? start.after : -1n;
    this.matches = filterOf(options);
    this.checkpointAfter = (options.getFilter()?.getCheckpointintervalmultiplier() ?? 1) * node.searchWindow;
    call.on('drain', () => {
      this.blocked = false;
      this.waiting = 0;
      this.wake();
    });
  }

  begin(): void {
    this.call.write(confirmation(randomUUID()));
    this.wake();
  }

  wake(): void {
    if (this.stalled || this.call.cancelled || this.call.writableEnded) return;
    if (this.isBlocked()) {
      this.wait();
      return;
    }
    if (this.sendUntilBlocked() && !this.isLive) this.goLive();
  }

  /** @returns true when the end of the log was reached */
  private sendUntilBlocked(): boolean {
    for (let record = this.node.log.at(this.next); record !== undefined; record = this.node.log.at(this.next)) {
      if (this.isBlocked()) return false;
      this.next++;
      if (record.position > this.after) this.consider(record);
    }
    return !this.isBlocked();
  }

  private isBlocked(): boolean {
    return this.blocked;
  }

  /** A slow consumer falls behind: one generation drops it, the other reads on from the log later. */
  private wait(): void {
    this.waiting++;
    if (this.node.generation !== '23.10' || !this.isLive || this.waiting <= this.node.liveBuffer) return;
    fail(this.call, timedOut('Consumer too slow to handle event while live. Client resubscription required.'));
  }

  private consider(record: LogRecord): void {
    this.considered++;
    if (this.matches(record)) {
      this.write(readEvent(record));
      if (this.node.faults.repeatEvents) this.write(readEvent(record));
    }
    if (this.considered < this.checkpointAfter || this.node.faults.noCheckpoints) return;
    this.considered = 0;
    this.write(checkpoint(record.position));
  }

  private goLive(): void {
    this.isLive = true;
    if (!this.node.faults.noCaughtUp) this.write(caughtUp());
  }

  private write(message: ReadResp): void {
    if (!this.call.write(message)) this.blocked = true;
  }
}

function filterOf(options: ReadReq.Options): (record: LogRecord) => boolean {
  const filter = options.getFilter();
  if (filter === undefined) return () => true;
  const byStream = filter.getStreamIdentifier();
  const expression = byStream ?? filter.getEventType();
  const prefixes = expression?.getPrefixList() ?? [];
  const regex = expression === undefined || expression.getRegex() === '' ? null : new RegExp(expression.getRegex());
  return ({ stream, type }) => {
    const text = byStream === undefined ? type : stream;
    return regex === null ? prefixes.some((prefix) => text.startsWith(prefix)) : regex.test(text);
  };
}
