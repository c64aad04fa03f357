import { unescapeString } from '@counterfoil/canonical';
import type { Replacement } from '../splice/splice.js';
import { splice } from '../splice/splice.js';
import type { Caps } from './caps.js';
import { capsFor, lostMembers, visitCuts } from './caps.js';
import { cutString } from './cut-string.js';
import type { Nodes } from './nodes.js';
import { nodesOf } from './nodes.js';
import { escapedBytes } from './size.js';

// So much more is escaped for a preview than fits, that what is cut off ends with no part of a mark.
const MARGIN = 128;

/** A string as it stands; a number of many digits as the string of them. */
function shortened(nodes: Nodes, node: number, most: number, original: number): string {
  const start = nodes.start[node] ?? 0;
  const end = nodes.end[node] ?? 0;
  const isString = nodes.text.charAt(start) === '"';
  const token = isString ? nodes.text.slice(start, end) : `"${nodes.text.slice(start, end)}"`;
  return cutString(token, most, node === 0 ? original : Buffer.byteLength(unescapeString(token, 0, token.length)));
}

function cutUnder(nodes: Nodes, caps: Caps, original: number): string {
  const replacements: Replacement[] = [];
  visitCuts(nodes, caps, {
    leaf: (node) => {
      replacements.push({
        start: nodes.start[node] ?? 0,
        end: nodes.end[node] ?? 0,
        text: shortened(nodes, node, caps.stringBytes, original),
      });
    },
    members: (node, lost) => {
      replacements.push({ start: nodes.before[lost] ?? 0, end: (nodes.end[node] ?? 0) - 1, text: lostMembers(nodes, node, caps.members) });
    },
  });
  return splice(nodes.text, replacements);
}

/** The beginning of a JSON text as a JSON string: where nothing of its structure can be kept. */
function preview(json: string, limit: number, original: number): string {
  return cutString(JSON.stringify(json.slice(0, limit + MARGIN)), limit, original);
}

/**
 * Cuts redacted JSON text to a limit (promise 23). The result parses, has at most `limit` UTF-8 bytes with its marks, counted as
 * they stand in an event (see `escapedBytes`), and splits no surrogate pair, no escape and no mark. What stays keeps its spelling.
 *
 * @param json JSON text without raw lone surrogates
 * @param limit at least 64
 * @param original UTF-8 bytes of the whole as it came, for the mark of a cut of the whole
 * @returns the text itself if it is within the limit
 */
export function bound(json: string, limit: number, original: number): string {
  if (json.length * 6 <= limit || escapedBytes(json) <= limit) return json;
  const nodes = nodesOf(json);
  const caps = nodes === null ? null : capsFor(nodes, limit);
  return nodes === null || caps === null ? preview(json, limit, original) : cutUnder(nodes, caps, original);
}
