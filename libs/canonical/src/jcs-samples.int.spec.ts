import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { canonicalText } from './form/canonical-text.js';
import { canonicalize } from './form/canonicalize.js';

// Not part of the repository: published samples of RFC 8785, laid beside it where they are at hand.
const SAMPLES = new URL('../../../../shared/samples/jcs/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, SAMPLES), 'utf8');

if (existsSync(fileURLToPath(SAMPLES))) {
  describe('published samples of RFC 8785', () => {
    const names = readdirSync(new URL('testdata/input/', SAMPLES)).map((name) => name.replace('.json', ''));

    it.each(names)('%s', (name) => {
      const canonical = canonicalText(read(`testdata/input/${name}.json`));
      expect(canonical).toBe(read(`testdata/output/${name}.json`).trimEnd());
      expect(Buffer.from(canonical).toString('hex')).toBe(read(`testdata/outhex/${name}.txt`).replaceAll(/\s/g, '').toLowerCase());
    });

    const { canonicalization_vectors: vectors } = JSON.parse(read('agent-receipts_canonicalization_vectors.json')) as {
      canonicalization_vectors: { name: string; input: unknown; canonical: string }[];
    };

    it.each(vectors)('$name', ({ input, canonical }) => {
      expect(canonicalize(input)).toBe(canonical);
      expect(canonicalText(JSON.stringify(input))).toBe(canonical);
    });
  });
} else {
  describe('published samples of RFC 8785', () => {
    it.skip('are not at hand (expected in ../shared/samples/jcs)', () => undefined);
  });
}
