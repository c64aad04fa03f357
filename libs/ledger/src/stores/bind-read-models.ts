import { readPositions, type ProjectionEngine } from '@counterfoil/projections';
import type { DocumentStore } from '@counterfoil/read-models';
import { LedgerStartError } from '../errors.js';
import { MAIN_SET } from '../projection-set.js';

/** The control document that says of which ledger the read models are. */
const BINDING = 'ledger';

/**
 * Read models are of one ledger for good: another one's server would answer with its receipts, and under its own tokens. The first to open
 * them says whose they are.
 *
 * @param epoch of the ledger that opens them
 * @throws LedgerStartError `read_models_of_another_ledger`
 */
export async function bindReadModels(docs: DocumentStore, epoch: string, engine: ProjectionEngine, partitions: number): Promise<void> {
  for (;;) {
    const bound = (await docs.control(BINDING))?.value.epoch;
    const owner = bound === undefined ? await projectedFrom(docs, engine, partitions) : String(bound);
    if (owner !== null && owner !== epoch) throw anotherLedgers(owner, epoch);
    if (bound !== undefined || (await docs.compareAndSet(BINDING, null, { epoch }))) return;
  }
}

/** Read models from before there was such a document: the checkpoints tell. */
async function projectedFrom(docs: DocumentStore, engine: ProjectionEngine, partitions: number): Promise<string | null> {
  const found = await readPositions(docs, MAIN_SET, await engine.readModels.generation(), partitions);
  return found?.epoch ?? null;
}

const anotherLedgers = (owner: string, epoch: string): LedgerStartError =>
  new LedgerStartError(
    'read_models_of_another_ledger',
    `The read models there are of the ledger ${owner}, and this is ${epoch}: name another file or database with COUNTERFOIL_READ_MODELS.`,
  );
