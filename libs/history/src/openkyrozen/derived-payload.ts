import type { Payload } from '@counterfoil/contracts';
import { CUT_MARK, hiddenByCuts, hiddenByRedaction, redactionMarks } from './marks.js';

/** Where in the stored record a derived payload comes from. */
export interface Origin {
  /** The stored record. */
  readonly original: Payload;
  /** Path of the member that it is made of, as redactions give it: an RFC 6901 pointer, `#` where it goes on in JSON in a string. */
  readonly at: string;
  /** Where a redaction `rest` below that member stands in the derived text. */
  readonly place: (rest: string) => string;
}

const utf8Bytes = (text: string): number => Buffer.byteLength(text, 'utf8');

function redactionsOf({ original, at, place }: Origin): Payload['redactions'] {
  return original.redactions
    .filter(({ path }) => path === at || path.startsWith(`${at}/`) || path.startsWith(`${at}#`))
    .map((redaction) => ({ ...redaction, path: place(redaction.path.slice(at.length)) }));
}

/** Oddities of the record that are in this part of it. */
function anomaliesOf(original: Payload, json: string): Payload['anomalies'] {
  return original.anomalies.filter(
    (kind) => (kind === 'nul' && json.includes('\\u0000')) || (kind === 'lone_surrogate' && /\\ud[89a-f]/i.test(json)),
  );
}

/**
 * A payload made of a part of a stored record, with what is known of that part: what was redacted in it and where, whether it was cut,
 * and its size before that, as the marks in it say. No digest: there is no key where events are read, and the text before redaction is
 * gone.
 *
 * @param json the derived JSON text
 * @param source the value in the stored record that it is made of
 */
export function derivedPayload(json: string, source: unknown, origin: Origin): Payload {
  const { original } = origin;
  const storedBytes = utf8Bytes(json);
  const redactions = redactionsOf(origin);
  const isRedacted = original.redactions.length > 0;
  const unlisted = isRedacted ? Math.max(0, redactionMarks(json) - redactions.length) : 0;
  const cut = original.state === 'cut' && json.includes(CUT_MARK);
  const hidden = (isRedacted ? hiddenByRedaction(json) : 0) + (cut ? hiddenByCuts(source) : 0);
  return {
    json,
    bytes: Math.max(0, storedBytes + hidden),
    storedBytes,
    state: cut ? 'cut' : 'whole',
    digest: null,
    redactions,
    ...(unlisted > 0 ? { redactionsOmitted: unlisted } : {}),
    anomalies: anomaliesOf(original, json),
  };
}
