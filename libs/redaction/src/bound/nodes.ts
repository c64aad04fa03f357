import type { JsonVisitor } from '@counterfoil/canonical';
import { scanJson } from '@counterfoil/canonical';
import { escapedBytes } from './size.js';

/** Members of a node that is no container. */
export const LEAF = -1;

/** With more nodes than this the text is shown as a preview. */
const MOST_NODES = 1 << 20;

class TooMany extends Error {}

/** Turns ascending UTF-16 offsets of a text into ones in bytes, looking at each character once. */
class ByteOffsets {
  /** UTF-8 bytes before the offset that was asked for last. */
  utf8 = 0;
  private offset = 0;
  private escaped = 0;

  constructor(private readonly text: string) {}

  /** Escaped bytes (see `escapedBytes`) before an offset. */
  of(offset: number): number {
    const stretch = this.text.slice(this.offset, offset);
    this.utf8 += Buffer.byteLength(stretch);
    this.escaped += escapedBytes(stretch);
    this.offset = offset;
    return this.escaped;
  }
}

/** The values of a JSON text in document order; arrays of numbers, since there may be many. */
export class Nodes implements JsonVisitor {
  count = 0;
  private capacity = 512;
  /** UTF-16 offsets of the value, end exclusive. */
  start = new Uint32Array(this.capacity);
  end = new Uint32Array(this.capacity);
  /** Where the member before it ends, or behind the bracket of its container if it is the first. */
  before = new Uint32Array(this.capacity);
  /** The same three in escaped bytes. */
  startByte = new Uint32Array(this.capacity);
  endByte = new Uint32Array(this.capacity);
  beforeByte = new Uint32Array(this.capacity);
  /** Its UTF-8 bytes. Of a container that is open, where it begins. */
  utf8 = new Uint32Array(this.capacity);
  /** Index of the first node that is not in this one. */
  after = new Uint32Array(this.capacity);
  /** Members of a container, or LEAF. */
  members = new Int32Array(this.capacity);
  /** Its number among the members of its container. */
  ordinal = new Uint32Array(this.capacity);
  parent = new Uint32Array(this.capacity);
  isObject = new Uint8Array(this.capacity);
  /** Escaped bytes of the whole text. */
  size = 0;
  /** Escaped bytes of the longest leaf, and members of the largest container. */
  longestLeaf = 0;
  mostMembers = 0;
  private readonly open: number[] = [];
  private readonly bytes: ByteOffsets;
  // Of the member that ended last, or of the bracket that opened last.
  private lastEnd = 0;
  private lastEndByte = 0;

  constructor(readonly text: string) {
    this.bytes = new ByteOffsets(text);
  }

  startObject(at: number): void {
    const node = this.add(at, 0);
    this.isObject[node] = 1;
    this.enter(node, at);
  }

  startArray(at: number): void {
    this.enter(this.add(at, 0), at);
  }

  endObject(end: number): void {
    this.endArray(end);
  }

  endArray(end: number): void {
    const node = this.open.pop() ?? 0;
    this.ended(node, end);
    this.mostMembers = Math.max(this.mostMembers, this.members[node] ?? 0);
  }

  key(): void {
    // A key stays or goes with its member.
  }

  string(start: number, end: number): void {
    this.leaf(start, end);
  }

  number(start: number, end: number): void {
    this.leaf(start, end);
  }

  literal(start: number, end: number): void {
    this.leaf(start, end);
  }

  /** To be called once, after the walk. */
  finish(): void {
    this.size = this.bytes.of(this.text.length);
  }

  private enter(node: number, at: number): void {
    this.open.push(node);
    this.lastEnd = at + 1;
    this.lastEndByte = (this.startByte[node] ?? 0) + 1;
  }

  private leaf(start: number, end: number): void {
    const node = this.add(start, LEAF);
    this.ended(node, end);
    this.longestLeaf = Math.max(this.longestLeaf, (this.endByte[node] ?? 0) - (this.startByte[node] ?? 0));
  }

  private ended(node: number, end: number): void {
    this.end[node] = end;
    this.after[node] = this.count;
    this.lastEnd = end;
    this.lastEndByte = this.endByte[node] = this.bytes.of(end);
    this.utf8[node] = this.bytes.utf8 - (this.utf8[node] ?? 0);
  }

  private add(start: number, members: number): number {
    if (this.count === MOST_NODES) throw new TooMany();
    if (this.count === this.capacity) this.grow();
    const node = this.count++;
    this.start[node] = start;
    this.startByte[node] = this.bytes.of(start);
    this.utf8[node] = this.bytes.utf8;
    this.before[node] = this.lastEnd;
    this.beforeByte[node] = this.lastEndByte;
    this.members[node] = members;
    const parent = this.open.at(-1);
    if (parent === undefined) return node;
    const ordinal = this.members[parent] ?? 0;
    this.parent[node] = parent;
    this.ordinal[node] = ordinal;
    this.members[parent] = ordinal + 1;
    return node;
  }

  private grow(): void {
    this.capacity *= 2;
    const larger = (array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> => {
      const copy = new Uint32Array(this.capacity);
      copy.set(array);
      return copy;
    };
    this.start = larger(this.start);
    this.end = larger(this.end);
    this.before = larger(this.before);
    this.startByte = larger(this.startByte);
    this.endByte = larger(this.endByte);
    this.beforeByte = larger(this.beforeByte);
    this.utf8 = larger(this.utf8);
    this.after = larger(this.after);
    this.ordinal = larger(this.ordinal);
    this.parent = larger(this.parent);
    this.members = new Int32Array(larger(new Uint32Array(this.members.buffer)).buffer);
    const isObject = new Uint8Array(this.capacity);
    isObject.set(this.isObject);
    this.isObject = isObject;
  }
}

/** The nodes of a JSON text; null if there are too many. */
export function nodesOf(json: string): Nodes | null {
  const nodes = new Nodes(json);
  try {
    scanJson(json, nodes);
    nodes.finish();
  } catch (error) {
    if (error instanceof TooMany) return null;
    throw error;
  }
  return nodes;
}
