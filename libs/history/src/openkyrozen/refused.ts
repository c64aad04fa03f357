import type { QuarantineReason } from '../quarantine-reasons.js';

/** Thrown while a record is read: it can't become a receipt. Caught where recognition begins, and never leaves this folder. */
export class RecordRefused extends Error {
  constructor(readonly reason: QuarantineReason) {
    super(reason);
    this.name = 'RecordRefused';
  }
}
