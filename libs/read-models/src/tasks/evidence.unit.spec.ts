import { Payload, TaskEvidence as EvidenceSchema, type TaskEvidence } from '@counterfoil/contracts';
import { factsOf, payloadOf, RECEIPT } from '@counterfoil/testing';
import { EVIDENCE_TEXT_LIMIT_BYTES, withEvidence } from './evidence.js';

const NONE: ReadonlySet<string> = new Set();

const piece = (evidenceId: string, source: TaskEvidence['source'] = { kind: 'receipt', receiptId: RECEIPT }): TaskEvidence => ({
  evidenceId,
  criterionId: null,
  source,
  facts: factsOf(),
  since: '1',
  recordedAt: '2027-01-01T00:00:00.000Z',
  by: 'person:reviewer',
});
const stated = (evidenceId: string, text: string | null): TaskEvidence =>
  piece(evidenceId, { kind: 'attestation', statement: text === null ? null : payloadOf(text), by: 'person:reviewer', roles: [] });
const observed = (evidenceId: string, text: string): TaskEvidence =>
  piece(evidenceId, { kind: 'observation', observation: payloadOf(text) });

const fold = (pieces: readonly TaskEvidence[], meeting = NONE): readonly TaskEvidence[] =>
  pieces.reduce<readonly TaskEvidence[]>((all, one) => withEvidence(all, one, meeting), []);

const textOf = ({ source }: TaskEvidence): Payload | null => {
  if (source.kind === 'receipt') return null;
  return source.kind === 'observation' ? source.observation : source.statement;
};

describe('the evidence that a document holds', () => {
  it('is all of it, in the order in which it came', () => {
    const pieces = [piece('e1'), stated('e2', 'fine'), stated('e3', null), observed('e4', 'there')];
    expect(fold(pieces)).toEqual(pieces);
  });

  it('is five hundred pieces; after that the oldest makes room, but none by which a criterion is met', () => {
    const pieces = Array.from({ length: 503 }, (_, n) => piece(`e${n}`));
    const kept = fold(pieces, new Set(['e0', 'e2']));
    expect(kept).toHaveLength(500);
    expect(kept.slice(0, 3).map(({ evidenceId }) => evidenceId)).toEqual(['e0', 'e2', 'e5']);
    expect(kept.at(-1)?.evidenceId).toBe('e502');
  });

  it('holds so much free text in all, and marks what it cut off: the facts stand', () => {
    const text = 'x'.repeat(EVIDENCE_TEXT_LIMIT_BYTES / 2 - 2);
    const [first, second, third, fourth, fifth] = fold([
      stated('e1', text),
      observed('e2', text),
      stated('e3', 'é'.repeat(60)),
      observed('e4', text),
      piece('e5'),
    ]);
    expect([first, second, fifth]).toEqual([stated('e1', text), observed('e2', text), piece('e5')]);
    for (const [cut, bytes] of [
      [third, 122],
      [fourth, text.length + 2],
    ] as const) {
      if (cut === undefined) throw new Error('a piece is missing');
      const payload = Payload.parse(textOf(cut));
      expect(payload).toMatchObject({ state: 'cut', bytes, json: `"…[cut: ${bytes} bytes]"`, redactions: [] });
      expect(payload.storedBytes).toBe(Buffer.byteLength(payload.json));
      expect(EvidenceSchema.parse(cut)).toEqual(cut);
    }
    expect(third).toMatchObject({ evidenceId: 'e3', source: { kind: 'attestation', by: 'person:reviewer', roles: [] }, facts: factsOf() });
  });

  it('stays small whatever is sent', () => {
    const pieces = Array.from({ length: 500 }, (_, n) => stated(`e${n}`, 'y'.repeat(60_000)));
    expect(JSON.stringify(fold(pieces)).length).toBeLessThan(600_000);
  });
});
