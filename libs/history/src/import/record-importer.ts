import { decodeUtf8 } from '@counterfoil/canonical';
import { PAYLOAD_LIMIT_BYTES } from '@counterfoil/contracts';
import type { EventStore } from '@counterfoil/event-store';
import type { Line, WholeLine } from '../lines/split-lines.js';
import { recognise } from '../openkyrozen/recognise.js';
import type { QuarantineReason } from '../quarantine-reasons.js';
import type { ReceiptRecord } from '../recognition.js';
import { appendOnce } from './append-once.js';
import type { InFlight } from './in-flight.js';
import { prepareOverlong, prepareQuarantine } from './prepare-quarantine.js';
import type { Rejected } from './prepare-quarantine.js';
import { prepareReceipt } from './prepare-receipt.js';
import type { ImportContext, Prepared } from './prepared.js';
import type { Tally } from './report.js';

/** Decides what becomes of each line and sees to it. */
export class RecordImporter {
  constructor(
    private readonly store: EventStore,
    private readonly context: ImportContext,
    private readonly tally: Tally,
    private readonly inFlight: InFlight,
  ) {}

  /** Takes one line on; its fate may become known later. Resolves when there is room for another. @throws the store's errors */
  async take(line: Line): Promise<void> {
    if (line.kind === 'overlong') return this.queueAside(prepareOverlong(line, this.context), 'line_too_long');
    const { text, invalid } = decodeUtf8(line.bytes);
    if (text.trim() === '') {
      this.tally.blankLines++;
      return;
    }
    const recognition = recognise(text, invalid.length > 0);
    switch (recognition.kind) {
      case 'not_a_receipt':
        this.tally.add({ kind: 'not_a_receipt' });
        return;
      case 'quarantine':
        return this.quarantine({ reason: recognition.reason, text, content: text, line });
      case 'receipt':
        return this.importReceipt(recognition.record, line);
    }
  }

  private async importReceipt(record: ReceiptRecord, line: WholeLine): Promise<void> {
    const prepared = prepareReceipt(record, this.context);
    const { text, content } = record;
    if ('reason' in prepared) return this.quarantine({ reason: prepared.reason, text, content, line });
    await this.inFlight.run(prepared.stream, line.bytes.length, async () => {
      const appended = await this.append(prepared);
      if (appended !== 'different') this.tally.add({ kind: appended === 'appended' ? 'imported' : 'duplicate' });
      else await this.putAside(prepareQuarantine({ reason: 'content_differs', text, content, line }, this.context), 'content_differs');
    });
  }

  private quarantine(rejected: Rejected): Promise<void> {
    return this.queueAside(prepareQuarantine(rejected, this.context), rejected.reason);
  }

  private queueAside(prepared: Prepared, reason: QuarantineReason): Promise<void> {
    return this.inFlight.run(prepared.stream, PAYLOAD_LIMIT_BYTES, () => this.putAside(prepared, reason));
  }

  private async putAside(prepared: Prepared, reason: QuarantineReason): Promise<void> {
    const added = (await this.append(prepared)) === 'appended';
    this.tally.add({ kind: 'quarantined', reason, added });
  }

  private append({ stream, event, contentDigest }: Prepared): ReturnType<typeof appendOnce> {
    return appendOnce(this.store, stream, event, contentDigest);
  }
}
