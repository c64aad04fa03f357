import { z } from 'zod';

/** States of a call (design §4, States). */
export const CallStatus = z.enum([
  'requested',
  'awaiting_approval',
  'approved',
  'dispatched',
  'succeeded',
  'failed',
  'timed_out',
  'interrupted',
  'cancelled',
  'unknown',
  'rejected',
  'denied',
  'expired',
]);
export type CallStatus = z.infer<typeof CallStatus>;

export const ApprovalState = z.enum(['pending', 'granted', 'consumed', 'denied', 'expired', 'voided']);
export type ApprovalState = z.infer<typeof ApprovalState>;

/** States of a task. */
export const TaskStatus = z.enum(['pending', 'running', 'blocked', 'succeeded', 'failed', 'cancelled']);
export type TaskStatus = z.infer<typeof TaskStatus>;
