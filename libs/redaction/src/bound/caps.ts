import { CUT_KEY, membersCutMark } from '../marks.js';
import type { Nodes } from './nodes.js';
import { LEAF } from './nodes.js';
import { escapedBytes } from './size.js';

/** How far a text is cut: each string to so many escaped bytes (see `escapedBytes`), each container to so many members. */
export interface Caps {
  readonly stringBytes: number;
  readonly members: number;
}

/** No string is shortened to less: its mark would be most of it. */
export const LEAST_STRING = 64;

/** What caps take out. */
export interface CutVisitor {
  /** A string, or a number of many digits, is too long. */
  leaf(node: number): void;
  /** A container keeps its first members; `lost` is the first that goes. */
  members(node: number, lost: number): void;
}

/** Visits what the caps take out of a text, in document order; lost members are not looked into. */
export function visitCuts(nodes: Nodes, caps: Caps, visitor: CutVisitor): void {
  let node = 0;
  while (node < nodes.count) {
    if ((nodes.ordinal[node] ?? 0) >= caps.members) {
      const container = nodes.parent[node] ?? 0;
      visitor.members(container, node);
      node = nodes.after[container] ?? nodes.count;
      continue;
    }
    const isLong = nodes.members[node] === LEAF && (nodes.endByte[node] ?? 0) - (nodes.startByte[node] ?? 0) > caps.stringBytes;
    if (isLong) visitor.leaf(node);
    node++;
  }
}

/** What stands for the members that a container lost, with the comma before it. */
export function lostMembers(nodes: Nodes, node: number, kept: number): string {
  const members = nodes.members[node] ?? 0;
  const isObject = nodes.isObject[node] === 1;
  const mark = membersCutMark(members - kept, members, isObject ? 'members' : 'elements', nodes.utf8[node] ?? 0);
  return `,${isObject ? `"${CUT_KEY}":` : ''}"${mark}"`;
}

/** The size of the text under the caps in escaped bytes, or a little more than it. */
export function sizeUnder(nodes: Nodes, caps: Caps): number {
  let size = nodes.size;
  visitCuts(nodes, caps, {
    leaf: (node) => {
      size -= (nodes.endByte[node] ?? 0) - (nodes.startByte[node] ?? 0) - caps.stringBytes;
    },
    members: (node, lost) => {
      size -= (nodes.endByte[node] ?? 0) - 1 - (nodes.beforeByte[lost] ?? 0);
      size += escapedBytes(lostMembers(nodes, node, caps.members));
    },
  });
  return size;
}

/** The largest number in [least, most] for which `fits`, by halving; null if not even the least does. */
function largest(least: number, most: number, fits: (value: number) => boolean): number | null {
  if (!fits(least)) return null;
  let low = least;
  let high = most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * The caps under which a text has at most `limit` escaped bytes: long strings are shortened first, then containers lose members,
 * but keep one at least. Null if that is not enough.
 */
export function capsFor(nodes: Nodes, limit: number): Caps | null {
  const fits = (caps: Caps): boolean => sizeUnder(nodes, caps) <= limit;
  const longest = Math.max(LEAST_STRING, nodes.longestLeaf);
  const strings = (members: number): number | null => largest(LEAST_STRING, longest, (stringBytes) => fits({ stringBytes, members }));
  const whole = strings(Infinity);
  if (whole !== null) return { stringBytes: whole, members: Infinity };
  const members = largest(1, Math.max(1, nodes.mostMembers), (most) => fits({ stringBytes: LEAST_STRING, members: most }));
  return members === null ? null : { stringBytes: strings(members) ?? LEAST_STRING, members };
}
