import { PAYLOAD_LIMIT_BYTES } from '@counterfoil/contracts';
import type { KnownSecret } from '@counterfoil/contracts';
import { recognise } from '../openkyrozen/recognise.js';
import type { ImportableRecord, PutAside, Recognised } from '../recognition.js';
import type { Append, AppendedOnce } from './append-once.js';
import type { InFlight } from './in-flight.js';
import { prepareOverlong, prepareQuarantine } from './prepare-quarantine.js';
import type { Rejected } from './prepare-quarantine.js';
import { prepareRecord, secretsIn } from './prepare-record.js';
import type { ImportContext, Prepared } from './prepared.js';
import type { Fate, Tally } from './report.js';
import type { SourceItem } from './source-item.js';

type WholeRecord = Extract<SourceItem, { kind: 'record' }>;

/** Lines that were never held are of no surface that anybody can tell. */
export const UNREADABLE_SURFACE = 'unreadable';

/** Decides what becomes of each record and sees to it. */
export class RecordImporter {
  constructor(
    private readonly append: Append,
    private readonly context: ImportContext,
    private readonly tally: Tally,
    private readonly inFlight: InFlight,
  ) {}

  /** Takes one record on; its fate may become known later. Resolves when there is room for another. @throws the store's errors */
  async take(item: SourceItem): Promise<void> {
    if (item.kind === 'blank') {
      this.tally.blankLines++;
      return;
    }
    this.tally.rows++;
    if (item.kind === 'overlong') {
      return this.queueAside(prepareOverlong(item, this.context), { surface: UNREADABLE_SURFACE, reason: 'line_too_long' });
    }
    const found = recognise(item.text, item.invalidUtf8);
    // A task is stored without its evidence, and each entry by itself: what one of them shows by its key, the others know.
    const known = found.count === 1 ? [] : secretsIn(item.text, this.context);
    for (const one of found) await this.see(one, item, known);
  }

  private async see(found: Recognised, item: WholeRecord, known: readonly KnownSecret[]): Promise<void> {
    switch (found.kind) {
      case 'not_a_receipt':
        this.tally.add(found.surface, found);
        return;
      case 'quarantine':
        return this.quarantine(found, item, known);
      default:
        return this.importRecord(found, item, known);
    }
  }

  private async importRecord(record: ImportableRecord, { place, bytes }: WholeRecord, known: readonly KnownSecret[]): Promise<void> {
    const prepared = prepareRecord(record, this.context, known);
    const { text, content, surface } = record;
    const rejected = { text, content, place, member: null, digests: record.digests, known };
    if ('reason' in prepared) {
      return this.queueAside(prepareQuarantine({ ...rejected, reason: prepared.reason }, this.context), {
        surface,
        reason: prepared.reason,
      });
    }
    await this.inFlight.run(prepared.stream, bytes, async () => {
      const appended = await this.append(prepared);
      if (appended !== 'different') this.tally.add(surface, fateOf(record, appended));
      else {
        await this.putAside(prepareQuarantine({ ...rejected, reason: 'content_differs' }, this.context), {
          surface,
          reason: 'content_differs',
        });
      }
    });
  }

  private quarantine({ surface, reason, entry }: PutAside, { text, place }: WholeRecord, known: readonly KnownSecret[]): Promise<void> {
    const own = entry?.text ?? text;
    const rejected: Rejected = { reason, text: own, content: own, place, member: entry?.member ?? null, known };
    return this.queueAside(prepareQuarantine(rejected, this.context), { surface, reason });
  }

  private queueAside(prepared: Prepared, why: Pick<PutAside, 'surface' | 'reason'>): Promise<void> {
    return this.inFlight.run(prepared.stream, PAYLOAD_LIMIT_BYTES, () => this.putAside(prepared, why));
  }

  private async putAside(prepared: Prepared, { surface, reason }: Pick<PutAside, 'surface' | 'reason'>): Promise<void> {
    const added = (await this.append(prepared)) === 'appended';
    this.tally.add(surface, { kind: 'quarantined', reason, added });
  }
}

function fateOf({ kind }: ImportableRecord, appended: Exclude<AppendedOnce, 'different'>): Fate {
  if (kind === 'copy') return { kind: 'derived_copy', added: appended === 'appended' };
  if (appended === 'same') return { kind: 'duplicate' };
  return { kind: 'imported', as: kind === 'task' && appended === 'version' ? 'taskVersion' : kind };
}
