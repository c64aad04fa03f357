import { receiptIdOfKey, receiptKey } from './compact.js';
import { RecordBlocks } from './record-blocks.js';

const KEY_BYTES = 16;

/** Receipt ids by approval number (`apr_<session>_<n>`), as the 16 bytes that are in them: they are kept as long as the session is. */
export class ApprovalNumbers {
  private readonly keys = new RecordBlocks(KEY_BYTES);

  get length(): number {
    return this.keys.length;
  }

  get bytes(): number {
    return this.keys.byteLength;
  }

  push(receiptId: string): void {
    this.keys.bytesAt(this.keys.add(), 0, KEY_BYTES).set(receiptKey(receiptId));
  }

  /** The receipt id of the n-th approval, beginning with 0; null if there is none. */
  at(n: number): string | null {
    return Number.isInteger(n) && n >= 0 && n < this.keys.length ? receiptIdOfKey(this.keys.bytesAt(n, 0, KEY_BYTES)) : null;
  }
}
