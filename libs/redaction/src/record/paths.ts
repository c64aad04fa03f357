import { markOf, settledSpans } from '../splice/spans.js';
import type { Container, Leaf, Step } from '../walk/model.js';

const LONGEST_PATH = 200;
const LONGEST_SEGMENT = 80;

/** The key as it stands in the redacted text: a secret in a key must not leak through a path. */
export function redactedText(leaf: Leaf): string {
  let text = '';
  let from = 0;
  for (const span of settledSpans(leaf.text, leaf.spans)) {
    text += leaf.text.slice(from, span.start) + markOf(leaf.text, span).mark;
    from = span.end;
  }
  return text + leaf.text.slice(from);
}

function segment(step: Step): string {
  if (typeof step === 'number') return String(step);
  const key = (typeof step === 'string' ? step : redactedText(step)).toWellFormed();
  const short = key.length > LONGEST_SEGMENT ? `${key.slice(0, LONGEST_SEGMENT - 1).toWellFormed()}…` : key;
  return short.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * An RFC 6901 pointer to a step in a container, of at most 200 characters; of a longer one the end, behind `…`.
 *
 * @param prefix the path of the string that holds this document, with `#` behind it; empty for an input itself
 */
export function pathOf(parent: Container | null, step: Step, prefix: string): string {
  if (parent === null) return shortened(prefix);
  let path = `/${segment(step)}`;
  let container: Container = parent;
  while (path.length <= LONGEST_PATH && container.parent !== null) {
    path = `/${segment(container.step)}${path}`;
    container = container.parent;
  }
  return shortened(container.parent === null ? prefix + path : path);
}

/** The last 200 characters of a path, from the beginning of a segment on where there is one. */
export function shortened(path: string): string {
  if (path.length <= LONGEST_PATH) return path;
  const end = path.slice(-(LONGEST_PATH - 1));
  const slash = end.indexOf('/');
  return `…${(slash === -1 ? end : end.slice(slash)).toWellFormed()}`;
}
