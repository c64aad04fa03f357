import type { CounterfoilEvent, ReceiptDocument } from '@counterfoil/contracts';
import {
  approvalGranted,
  approvalRequested,
  projecting,
  RECEIPT,
  recordedIn,
  sessionOpened,
  STREAM,
  toolCallRequested,
  toolDispatched,
  toolOutcomeLost,
  verificationOf,
} from '@counterfoil/testing';
import { receiptsProjection } from '../projection.js';

export const { given } = projecting(receiptsProjection);

/** The receipt after these events of one session, folded twice. */
export const receiptAfter = (...events: readonly CounterfoilEvent[]): ReceiptDocument =>
  given(...recordedIn(STREAM, sessionOpened(), ...events)).doc(RECEIPT);

export const asked = [toolCallRequested(), approvalRequested()];
export const granted = [...asked, approvalGranted()];
export const running = [toolCallRequested(), toolDispatched()];
export const lost = [...running, toolOutcomeLost()];
export const NEVER_RAN = verificationOf('not_applicable');
export const UNOBSERVED = verificationOf('unavailable');
