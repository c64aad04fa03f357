import type { ReceiptDocument } from '@counterfoil/contracts';
import type { Collection } from '../port.js';
import { findMerged } from '../shared/page.js';
import type { ReadScope } from '../shared/scope.js';
import { receiptFields } from './indexes.js';
import { planSightings } from './plan.js';

/** More copies than any surface ever made of one receipt; what is over is said, not silently left out. */
const SIGHTINGS_MAX = 200;

export interface Sightings {
  /** Receipt id of the canonical copy: the smallest by created time and coordinates (design §4). */
  readonly canonical: string;
  /** The other copies, in the same order. */
  readonly others: readonly ReceiptDocument[];
  /** False if there are more copies than were read. */
  readonly complete: boolean;
}

/**
 * The copies of an imported receipt: each was imported into a stream and so a document of its own, and they are joined on read by the
 * receipt id that the old records share (promise 27). A live receipt has none.
 */
export async function findSightings(collection: Collection<ReceiptDocument>, scope: ReadScope, doc: ReceiptDocument): Promise<Sightings> {
  const { originReceipt } = receiptFields(doc);
  if (typeof originReceipt !== 'string') return { canonical: doc.receiptId, others: [], complete: true };
  const found = await findMerged(collection, planSightings(scope, originReceipt), null, SIGHTINGS_MAX + 1, receiptFields);
  const copies = found
    .slice(0, SIGHTINGS_MAX)
    .map((copy) => copy.doc)
    .sort(byCreation);
  return {
    canonical: copies[0]?.receiptId ?? doc.receiptId,
    others: copies.filter((copy) => copy.receiptId !== doc.receiptId),
    complete: found.length <= SIGHTINGS_MAX,
  };
}

/** The receipt with the coordinates of its other copies among its sightings. */
export function withSightings(doc: ReceiptDocument, others: readonly ReceiptDocument[]): ReceiptDocument {
  if (doc.provenance.kind !== 'imported') return doc;
  const found = others.flatMap((other) => (other.provenance.kind === 'imported' ? [other.provenance.coordinates] : []));
  return { ...doc, provenance: { ...doc.provenance, sightings: [...doc.provenance.sightings, ...found] } };
}

function byCreation(a: ReceiptDocument, b: ReceiptDocument): number {
  return createdAt(a) - createdAt(b) || compareTexts(coordinatesText(a), coordinatesText(b));
}

/** The record's own time; a copy without one comes last. */
function createdAt(doc: ReceiptDocument): number {
  const ms = doc.times.occurred === null ? Number.NaN : Date.parse(doc.times.occurred);
  return Number.isNaN(ms) ? Number.MAX_SAFE_INTEGER : ms;
}

/** Coordinates as text, whatever order their keys were stored in. */
function coordinatesText(doc: ReceiptDocument): string {
  if (doc.provenance.kind !== 'imported') return '';
  return JSON.stringify(Object.entries(doc.provenance.coordinates).sort(([a], [b]) => compareTexts(a, b)));
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
