import { DomainError, SessionId } from '@counterfoil/contracts';
import type { Ledger } from '@counterfoil/ledger';
import { z } from 'zod';
import { STREAM_KINDS, type StreamKind } from './touches.js';

const LIST = new RegExp(`^(${STREAM_KINDS.join('|')})(,(${STREAM_KINDS.join('|')})){0,9}$`);
const isKind = (word: string): word is StreamKind => STREAM_KINDS.some((kind) => kind === word);

/** The query string of GET /v1/stream. */
export const StreamQuery = z.strictObject({
  /** Of what: `receipt`, `approval`, `task`, with commas between; all of them unless given. */
  types: z
    .string()
    .regex(LIST, `must be a list of ${STREAM_KINDS.join(', ')}, with commas between`)
    .transform((list) => new Set(list.split(',').filter(isKind)))
    .optional(),
  session: SessionId.optional(),
  /** Position token to begin after; `Last-Event-ID` goes before it. */
  from: z.string().max(64).optional(),
});
export type StreamQuery = z.infer<typeof StreamQuery>;

/**
 * Where a stream begins: after the position that the client holds, else at the head.
 *
 * @param lastEventId the header as it came; a client that resumes an address with `from` sends both, and its header is newer
 * @throws DomainError `invalid_position`, `position_of_another_ledger`
 */
export async function startOf(
  ledger: Pick<Ledger, 'parseToken'> & { readonly store: Pick<Ledger['store'], 'head'> },
  lastEventId: string | undefined,
  from: string | undefined,
): Promise<bigint> {
  const token = lastEventId === undefined || lastEventId === '' ? from : lastEventId;
  const after = token === undefined ? null : ledger.parseToken(token);
  const head = await ledger.store.head();
  // To wait there would pass over everything that comes before it without a word.
  if (after !== null && after > head) throw new DomainError('invalid_position', 'The position lies after the newest event.');
  return after ?? head;
}
