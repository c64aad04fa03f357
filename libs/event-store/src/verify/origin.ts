import type { ChainLinks } from './chain-links.js';
import { hashFits, memberOf } from './event-content.js';
import type { ReadableRaw } from './event-content.js';

/**
 * The stream that an event with a wrong hash was written to: one under whose name the hash fits. Tried are the names that its own data
 * speaks of, and those streams whose chain it would continue.
 *
 * @param known the name under which earlier events of this stream turned out to be written
 * @returns null if none fits: then the event was edited
 */
export function originOf(event: ReadableRaw, links: ChainLinks, known: string | null): string | null {
  if (known !== null && hashFits(event, known)) return known;
  for (const name of namesInData(event.data)) {
    if (name !== event.stream && hashFits(event, name)) return name;
  }
  if (event.prev === null) return null;
  for (const name of links.streamsAt(event.prev)) {
    // Whoever moved it may have given it the next free revision of its new stream.
    const next = (links.get(name)?.revision ?? -1n) + 1n;
    if (name !== event.stream && (hashFits(event, name) || hashFits(event, name, next))) return name;
  }
  return null;
}

/** The logical streams of design §4 that fit the ids in the data. */
function namesInData(data: unknown): string[] {
  const workspace = memberOf(data, 'workspaceId');
  if (typeof workspace !== 'string') return ['access'];
  const names = [`registry-${workspace}`, 'access'];
  const session = memberOf(data, 'sessionId');
  const record = memberOf(data, 'recordKey');
  const run = memberOf(data, 'importRun');
  if (typeof session === 'string') names.push(`session-${workspace}/${session}`);
  // A record that was put aside has a stream of its own (decision 0004), and so has a run.
  if (typeof record === 'string') names.push(`history-${workspace}/${record}`, `history-${workspace}/q${record}`);
  if (typeof run === 'string') names.push(`import-${workspace}/${run}`);
  return names;
}
