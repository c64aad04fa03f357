import { MemoryEventStore } from '@counterfoil/testing';
import { CONTEXT } from './import-context.js';
import { REGISTRY } from './import-records.js';
import { invented } from './invented-rows.js';
import { importSource } from '../import/import-source.js';
import type { ImportOptions } from '../import/import-options.js';
import type { ImportReport } from '../import/report.js';
import type { ImportSource } from '../input/byte-source.js';

export const newStore = (): MemoryEventStore => new MemoryEventStore({ upcast: (event) => REGISTRY.read(event) });

/** A line with a receipt, by its number. */
export const lineOf = (n: number, inPayload = {}): string =>
  invented.line({ id: `evt_${String(n)}` }, { receipt_id: `receipt_${String(n)}`, ...inPayload });

export async function imported(store: MemoryEventStore, source: ImportSource, options: Partial<ImportOptions> = {}): Promise<ImportReport> {
  return importSource(source, { ...CONTEXT, store, ...options });
}

/** All streams with what they hold, without what each import mints for itself. */
export async function streams(store: MemoryEventStore): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for await (const { stream, type, data } of store.readStored(null)) {
    const { importRun: _, line: __, byteOffset: ___, ...lasting } = data as Record<string, unknown>;
    found[stream] = { type, lasting };
  }
  return found;
}

/** Each record had one fate. */
export function sums({ read, imported: a, duplicate, derivedCopy, notAReceipt, quarantined }: ImportReport): boolean {
  return read === a + duplicate + derivedCopy + notAReceipt + quarantined;
}

/** Three receipts, one of them twice, one other event, and lines that are none. */
export const MIXED = [
  lineOf(1),
  '',
  '{"event_type":"session.message","payload":{}}',
  '{"cut',
  lineOf(2),
  '   ',
  lineOf(1),
  '42',
  '{"cut',
  lineOf(3),
];
