import type { ReceiptDocument } from '@counterfoil/contracts';
import type { Collection, Query, StoredDocument } from '../port.js';
import type { ReadScope } from '../shared/scope.js';
import { originOf, receiptFields } from './indexes.js';
import { planSightings } from './plan.js';
import { isMoreCanonical, sightingOf, type Sighting } from './sighting.js';

/** More copies than any surface ever made of one receipt. Of one that has more, the first that were imported are read. */
const SIGHTINGS_MAX = 200;
/** Receipts may be large: only so many are held at a time. */
const READ_AT_ONCE = 256;

/** The imported documents of one old receipt id, joined on read: each was imported into a stream and so a document of its own (promise 27). */
export interface SightingGroup {
  /** Document of the canonical sighting. */
  readonly canonical: ReceiptDocument;
  /** All of them, the canonical one too, in the order in which they were imported. */
  readonly sightings: readonly Sighting[];
  /** False if there are more than were read. */
  readonly complete: boolean;
}

/**
 * The sightings that the scope may see of each of some old receipt ids, by the one index over them, however many ids there are.
 *
 * @param origins old receipt ids as the index holds them, each once
 * @param upTo position up to which sightings are taken; null takes all
 */
export async function readGroups(
  collection: Collection<ReceiptDocument>,
  scope: ReadScope,
  origins: readonly string[],
  upTo: number | null,
): Promise<ReadonlyMap<string, SightingGroup>> {
  const groups = new Map<string, GrowingGroup>();
  let open: readonly string[] = origins;
  let start: Pick<Query, 'after'> = {};
  while (open.length > 0) {
    const plan = planSightings(scope, open, upTo);
    const [where = {}] = plan.wheres;
    const { index, order, direction } = plan;
    const found = await collection.find({ index, where, order, direction, limit: READ_AT_ONCE, ...start });
    const read = collect(groups, found);
    const last = found.at(-1);
    if (last === undefined || found.length < READ_AT_ONCE) break;
    // The ids come in order: all but the last one's sightings have been read to their end.
    const unfinished = originOf(last.doc);
    const isFull = unfinished === null || groups.get(unfinished)?.complete === false;
    open = open.filter((origin) => (origin === unfinished ? !isFull : !read.has(origin)));
    start = isFull ? {} : { after: { values: order.map((field) => receiptFields(last.doc)[field] ?? null), id: last.id } };
  }
  return groups;
}

/** Adds what was read to its groups; answers the old ids that were met. */
function collect(groups: Map<string, GrowingGroup>, found: readonly StoredDocument<ReceiptDocument>[]): ReadonlySet<string> {
  const met = new Set<string>();
  for (const { doc } of found) {
    const origin = originOf(doc);
    if (origin === null) continue;
    met.add(origin);
    const group = groups.get(origin);
    if (group === undefined) groups.set(origin, new GrowingGroup(doc));
    else group.add(doc);
  }
  return met;
}

/** Holds one whole document, that of the canonical sighting so far. */
class GrowingGroup implements SightingGroup {
  readonly sightings: Sighting[];
  canonical: ReceiptDocument;
  complete = true;
  private first: Sighting;

  constructor(doc: ReceiptDocument) {
    this.canonical = doc;
    this.first = sightingOf(doc);
    this.sightings = [this.first];
  }

  add(doc: ReceiptDocument): void {
    if (this.sightings.length >= SIGHTINGS_MAX) {
      this.complete = false;
      return;
    }
    const sighting = sightingOf(doc);
    this.sightings.push(sighting);
    if (!isMoreCanonical(sighting, this.first)) return;
    this.first = sighting;
    this.canonical = doc;
  }
}
