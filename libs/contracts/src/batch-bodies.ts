import { z } from 'zod';
import { DispatchBody, HeartbeatBody, ObservedCallBody, ReasonBody, RequestToolCallBody, ResultBody } from './bodies.js';
import { CallId, ReceiptId, Turn } from './ids.js';
import { LegacyExecutionBody } from './legacy-bodies.js';

/** So many items one batch has. */
export const ITEMS_PER_BATCH = 100;

/** A call is named by its receipt id, or as the caller knows it: an item may be about a call that an earlier one requests. */
const named = { receiptId: ReceiptId.optional(), call: z.strictObject({ turn: Turn, callId: CallId }).optional() };
const isNamed = (item: { readonly receiptId?: unknown; readonly call?: unknown }): boolean =>
  (item.receiptId === undefined) !== (item.call === undefined);
const ONE_NAME = { error: 'exactly one of receiptId and call must name the call', path: ['call'] };

/** One item of a batch: what to do, and the body of the route that does the same alone. */
export const BatchItem = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('request'), body: RequestToolCallBody }),
  z.strictObject({ do: z.literal('observe'), body: ObservedCallBody }),
  z.strictObject({ do: z.literal('legacy'), body: LegacyExecutionBody }),
  z.strictObject({ do: z.literal('dispatch'), ...named, body: DispatchBody }).refine(isNamed, ONE_NAME),
  z.strictObject({ do: z.literal('result'), ...named, body: ResultBody }).refine(isNamed, ONE_NAME),
  z.strictObject({ do: z.literal('cancel'), ...named, body: ReasonBody.prefault({}) }).refine(isNamed, ONE_NAME),
  z.strictObject({ do: z.literal('heartbeat'), ...named, body: HeartbeatBody }).refine(isNamed, ONE_NAME),
]);
export type BatchItem = z.infer<typeof BatchItem>;

/** POST /v1/sessions/{s}/batch. Each item is checked (as `BatchItem`) when its turn comes: what one lacks is its own answer. */
export const BatchBody = z.strictObject({ items: z.array(z.unknown()).min(1).max(ITEMS_PER_BATCH) });
export type BatchBody = z.infer<typeof BatchBody>;

/** One answer for each item, in order: the status and the body that its route alone would have answered. */
export const BatchAnswer = z.object({ answers: z.array(z.object({ status: z.int(), body: z.unknown() })) });
export type BatchAnswer = z.infer<typeof BatchAnswer>;
