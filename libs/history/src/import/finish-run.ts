import { setTimeout as sleep } from 'node:timers/promises';
import type { EventData, FateCounts, NewEvent } from '@counterfoil/contracts';
import { OutcomeUnknownError, StoreUnavailableError, WrongExpectedRevisionError } from '@counterfoil/event-store';
import type { EventStore, ExpectedRevision } from '@counterfoil/event-store';
import { runEvent } from './prepared.js';
import type { ImportContext } from './prepared.js';
import type { ImportReport } from './report.js';

/** What a whole run came to. */
export interface RunTotals {
  /** The sum over its inputs. */
  readonly report: ImportReport;
  readonly inputs: number;
  /** Inputs that could not be read to their end. */
  readonly failedInputs: number;
}

const TRIES = 6;
const FIRST_PAUSE_MS = 50;
const PLAIN_NAME = /^[a-z][a-z0-9_.]{0,63}$/;
const MOST_SURFACES = 64;
const OTHERS = 'other';

/**
 * Leaves the trace of a run: `ImportFinished` in `import-<workspace>/<run>`. A run that added nothing leaves none, nor does a dry run. One
 * that is named again and adds more (it was killed, or interrupted) leaves a further one, behind the first.
 *
 * A lost answer is asked for again with the same event id (promise 26); a store that is away is waited for, about three seconds.
 *
 * @returns whether an event was added
 * @throws the store's error when it can't be reached
 */
export async function finishRun(store: EventStore, context: ImportContext, totals: RunTotals): Promise<boolean> {
  if (totals.report.dryRun || totals.report.eventsAdded === 0) return false;
  const stream = `import-${context.workspaceId}/${context.importRun}`;
  let expected: ExpectedRevision = 'no_stream';
  let answerLost = false;
  for (let attempt = 1; ; attempt++) {
    const event = finished(context, totals, expected);
    try {
      const { repeated, revision } = await store.append({ stream, expected, events: [event] });
      // Without a lost answer it was another finish of this run that had the place.
      if (!repeated || answerLost) return true;
      expected = revision;
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError) {
        if (error.actual === null) throw error;
        expected = error.actual;
        continue;
      }
      const passing = error instanceof OutcomeUnknownError || error instanceof StoreUnavailableError;
      if (!passing || attempt >= TRIES) throw error;
      answerLost ||= error instanceof OutcomeUnknownError;
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}

function finished(context: ImportContext, { report, inputs, failedInputs }: RunTotals, after: ExpectedRevision): NewEvent {
  const { read, imported, duplicate, derivedCopy, notAReceipt, quarantined, added, bytes, interrupted } = report;
  const data: EventData<'ImportFinished'> = {
    workspaceId: context.workspaceId,
    importRun: context.importRun,
    totals: { read, imported, duplicate, derivedCopy, notAReceipt, quarantined },
    added,
    surfaces: boundedSurfaces(report.surfaces),
    reasons: report.reasons,
    inputs,
    failedInputs,
    bytes,
    milliseconds: Math.round(report.milliseconds),
    interrupted,
  };
  return runEvent(context, 'ImportFinished', data, String(after));
}

/** Some surfaces are named after what records say of themselves: only plain names, and not too many, go into the event. */
function boundedSurfaces(surfaces: ImportReport['surfaces']): Record<string, FateCounts> {
  const kept: Record<string, FateCounts> = {};
  for (const [name, counts] of Object.entries(surfaces)) {
    const isPlain = PLAIN_NAME.test(name) && Object.keys(kept).length < MOST_SURFACES;
    const as = isPlain ? name : OTHERS;
    kept[as] = sumCounts(kept[as], counts);
  }
  return kept;
}

function sumCounts(a: FateCounts | undefined, b: FateCounts): FateCounts {
  if (a === undefined) return b;
  return {
    read: a.read + b.read,
    imported: a.imported + b.imported,
    duplicate: a.duplicate + b.duplicate,
    derivedCopy: a.derivedCopy + b.derivedCopy,
    notAReceipt: a.notAReceipt + b.notAReceipt,
    quarantined: a.quarantined + b.quarantined,
  };
}
