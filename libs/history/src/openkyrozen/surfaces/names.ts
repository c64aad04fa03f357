/** The format's name in stored events and in `--format`. */
export const FORMAT = 'openkyrozen';

/** Where a call stood when it was recorded. Stored with events: a name never changes its meaning. */
export const CALL_SURFACES = [
  'execution.receipt',
  'subagent.receipt',
  'bug_fix.receipt',
  'receipt',
  'stream',
  'terminal',
  'evidence',
  'task.evidence',
  'subagent.record',
] as const;
export type CallSurface = (typeof CALL_SURFACES)[number];

/** Event types whose rows are a receipt. */
export const RECEIPT_EVENTS = ['execution.receipt', 'subagent.receipt', 'bug_fix.receipt'] as const satisfies readonly CallSurface[];

export const TASK_SURFACE = 'task';
export const TRANSITION_SURFACE = 'task.event';
/** Readable, and no tool call. */
export const OTHER_SURFACE = 'other';
/** Copies in events of a type that can't be a name, since it may say anything. */
export const UNNAMED_SURFACE = 'unnamed';
/** Nobody can tell what it is. */
export const UNREADABLE_SURFACE = 'unreadable';

export const isReceiptEvent = (type: unknown): type is (typeof RECEIPT_EVENTS)[number] =>
  RECEIPT_EVENTS.includes(type as (typeof RECEIPT_EVENTS)[number]);

// Surfaces stand bare in events, reports and logs: only words as the old types were made of, in which no secret can be told.
const EVENT_TYPE = /^[a-z]{1,32}\d?(?:[._][a-z]{1,32}\d?){0,4}$/;

/** The surface of what stands in an event: its type, where that can be a name. */
export const surfaceOfEvent = (type: string): string => (EVENT_TYPE.test(type) ? type : UNNAMED_SURFACE);
