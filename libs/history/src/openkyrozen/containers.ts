import type { Coordinates, Recognised } from '../recognition.js';
import { callRecord } from './call-record.js';
import type { Found } from './calls-in.js';
import type { RecordedIds } from './coordinates.js';
import type { JsonObject } from './json-text.js';
import { RecordRefused } from './refused.js';
import { FORMAT, surfaceOfEvent } from './surfaces/names.js';

/** Names of copies by event type and member; of any other it is the event type, where that can be a name. */
const COPY_SURFACES: readonly (readonly [RegExp, string])[] = [
  [/^learning\.run_completed \/payload\/tools\//, 'learning.tools'],
  [/^learning\.run_completed \/payload\/acceptance_evidence\//, 'learning.acceptance'],
  [/^task\.\S+ /, 'task.event.evidence'],
];

/** A record whose members may hold tool calls. */
export interface Container {
  /** The calls in it. */
  readonly found: readonly Found[];
  /** The event type, or another name. */
  readonly type: string;
  readonly ids: Partial<RecordedIds>;
  readonly createdAt: string | null;
  /** Scopes of operation ids that it records. */
  readonly scopes: readonly (string | null)[];
  /** `copy` where the calls have records of their own elsewhere; `receipt` where this is all there is of them. */
  readonly as: 'copy' | 'receipt';
}

/** The tool calls inside of a record, each with a fate of its own. */
export function* recogniseEntries(container: Container): Generator<Recognised, void, undefined> {
  for (const found of container.found) yield recogniseEntry(found, container);
}

function surfaceOf({ member }: Found, { type, as }: Container): string {
  if (as === 'receipt') return 'subagent.record';
  return COPY_SURFACES.find(([rule]) => rule.test(`${type} ${member ?? ''}`))?.[1] ?? surfaceOfEvent(type);
}

function recogniseEntry(found: Found, container: Container): Recognised {
  const { entry, member } = found;
  const { ids, createdAt, scopes, as } = container;
  const surface = surfaceOf(found, container);
  const text = JSON.stringify(entry);
  const place: Coordinates = { member };
  try {
    return callRecord({
      kind: as,
      surface,
      readAs: readAs(surface, entry),
      record: entry,
      row: null,
      owner: {
        workspaceId: ids.workspaceId ?? null,
        userId: ids.userId ?? null,
        sessionId: ids.sessionId ?? null,
        eventId: ids.eventId ?? null,
      },
      more: place,
      createdAt,
      identify: () =>
        ids.eventId == null || member === null ? null : { format: FORMAT, workspace: ids.workspaceId ?? null, event: ids.eventId, member },
      scopes,
      anomalies: [],
    });
  } catch (error) {
    if (error instanceof RecordRefused) return { kind: 'quarantine', surface, reason: error.reason, entry: { text, member } };
    throw error;
  }
}

/** As what an entry is read: by the keys that it holds. */
function readAs(surface: string, entry: JsonObject): string {
  if (surface === 'learning.tools' && !Object.hasOwn(entry, 'receipt_id')) return surface;
  if (Object.hasOwn(entry, 'started_at')) return Object.hasOwn(entry, 'evidence') ? 'subagent.record' : 'receipt';
  if (Object.hasOwn(entry, 'operation_id')) return 'stream.entry';
  return Object.hasOwn(entry, 'authorized') ? 'subagent.record' : 'evidence';
}
