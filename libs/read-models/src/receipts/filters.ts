import {
  CallStatus,
  SessionId,
  SideEffectClass,
  Timestamp,
  ToolName,
  ToolSource,
  Turn,
  Verification,
  wellFormed,
} from '@counterfoil/contracts';
import { z } from 'zod';
import { pageShape, type PageRequest } from '../shared/page.js';

const statuses = z
  .string()
  .max(256)
  .transform((text) => [...new Set(text.split(','))])
  .pipe(z.array(CallStatus).min(1));

const time = Timestamp.transform((text) => Date.parse(text));

const shape = {
  session: SessionId.optional(),
  /** The session in which the work began: its calls, and those of its subagents' sessions. */
  root: SessionId.optional(),
  turn: Turn.optional(),
  /** As recorded: old task ids of imported receipts count too. */
  task: wellFormed(1, 256).optional(),
  tool: ToolName.optional(),
  /** Only beside `tool`: one name on two servers is two tools. */
  toolSource: ToolSource.optional(),
  /** One or several, separated by commas. */
  status: statuses.optional(),
  verification: Verification.shape.state.optional(),
  class: SideEffectClass.optional(),
  /** Operation ids, also old ones, verbatim. */
  operation: wellFormed(1, 512).optional(),
  /** From this time on, by our clock: when the ledger recorded the request (or the import). RFC 3339; becomes epoch milliseconds. */
  from: time.optional(),
  /** Before this time, by the same clock. */
  to: time.optional(),
  provenance: z.enum(['live', 'imported']).optional(),
  /** `ended`: the calls of one session that have ended, the last to end first. Else by request, the newest first. */
  order: z.enum(['requested', 'ended']).optional(),
};

const needsTool = { message: 'needs `tool` beside it', path: ['toolSource'] };
const needsSession = { message: 'by `ended` needs `session` beside it', path: ['order'] };
const ofOneSession = (filters: { readonly order?: string | undefined; readonly session?: string | undefined }): boolean =>
  filters.order !== 'ended' || filters.session !== undefined;
const qualified = (filters: { readonly tool?: string | undefined; readonly toolSource?: string | undefined }): boolean =>
  filters.toolSource === undefined || filters.tool !== undefined;

/** The filters of GET /v1/receipts (design §6), from query-string texts, in any combination. Unknown ones are refused. */
export const ReceiptFilters = z.strictObject(shape).refine(qualified, needsTool).refine(ofOneSession, needsSession);
export type ReceiptFilters = z.infer<typeof ReceiptFilters>;

/** The whole query string of GET /v1/receipts: filters and page. */
export const ReceiptListQuery = z
  .strictObject({ ...shape, ...pageShape })
  .refine(qualified, needsTool)
  .refine(ofOneSession, needsSession);
export type ReceiptListQuery = z.infer<typeof ReceiptListQuery>;

/** Takes a parsed query string apart. */
export function splitReceiptQuery(query: ReceiptListQuery): { readonly filters: ReceiptFilters; readonly page: PageRequest } {
  const { cursor, limit, ...filters } = query;
  return { filters, page: { cursor, limit } };
}
