import type { StreamKind } from './touches.js';

/** After so long a client that lost its stream opens it anew. */
const RETRY_MS = 2000;

/**
 * Text of a server-sent-events stream (WHATWG HTML, "Server-sent events"). A document is one line of JSON, so `data` is one line too.
 *
 * @param id the position token that a client resumes after; null where more of the same position follows
 */
export function documentFrame(kind: StreamKind, document: unknown, id: string | null): string {
  return `event: ${kind}\ndata: ${JSON.stringify(document)}\n${id === null ? '' : `id: ${id}\n`}\n`;
}

/** The first words: no event, but where the stream begins, so that a client that loses it before the first event resumes there. */
export const openingFrame = (id: string): string => `retry: ${RETRY_MS}\nid: ${id}\n\n`;

/** A sign of life. It moves the client on past what was not for it, so that a resume doesn't read that again. */
export const heartbeatFrame = (id: string): string => `: heartbeat\nid: ${id}\n\n`;
