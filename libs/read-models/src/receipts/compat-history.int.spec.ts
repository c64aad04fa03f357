import { existsSync, readFileSync } from 'node:fs';
import { foldAll, historyStream, importedPair, payloadOf, receiptNamed, testLog } from '@counterfoil/testing';
import { compatView } from './compat.js';
import { receiptsProjection } from './projection.js';

// The shared history stands beside the repository, and not in every clone: then the one test is skipped, by this name.
const HISTORY = '../shared/history/gen1.events.jsonl';

interface Row {
  readonly event_type: string;
  readonly payload: object;
}

(existsSync(HISTORY) ? describe : describe.skip)(`the compat view of the rows in ${HISTORY}`, () => {
  it('gives each payload whole', () => {
    const lines = readFileSync(HISTORY, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    const rows = lines.map((line) => JSON.parse(line) as Row).filter((row) => row.event_type === 'execution.receipt');
    expect(rows.length).toBeGreaterThan(50);
    for (const row of rows) {
      const facts = { observed: { original: payloadOf(row) }, provenance: { surface: row.event_type } };
      const events = testLog().appendParts(historyStream('x'), importedPair('x', facts));
      const doc = foldAll(receiptsProjection, events).get(receiptNamed('x'));
      expect(doc && compatView(doc)).toEqual({ ...row.payload, cut: false });
    }
  });
});
