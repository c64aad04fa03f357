import fc from 'fast-check';
import { scanJson } from './scan.js';
import { JsonSyntaxError } from './visitor.js';

const ignore = (): void => undefined;
const silent = {
  startObject: ignore,
  endObject: ignore,
  startArray: ignore,
  endArray: ignore,
  key: ignore,
  string: ignore,
  number: ignore,
  literal: ignore,
};

function scans(text: string): boolean {
  try {
    scanJson(text, { ...silent, anomaly: ignore });
    return true;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const FRAGMENTS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '"a"',
  '"\\u00',
  '\\n',
  'e',
  'E',
  '-',
  '+',
  '.',
  '0',
  '12',
  'true',
  'null',
  ' ',
  '\n',
  '\t',
  '\u0000',
  '\ud800',
  '\ufeff',
  '\u00a0',
  '/',
  'NaN',
  'u',
];
const soup = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 12 }).map((parts) => parts.join(''));

/** Valid JSON with one spot replaced, removed or doubled. */
const mutated = fc.tuple(fc.json(), fc.nat(), fc.nat(), fc.constantFrom(...FRAGMENTS, '')).map(([text, from, length, piece]) => {
  const at = from % (text.length + 1);
  return text.slice(0, at) + piece + text.slice(at + (length % 4));
});

describe('scanJson takes what JSON.parse takes', () => {
  it.each([
    ['random strings', fc.string({ unit: 'binary' }), 2_000],
    ['fragments of JSON', soup, 20_000],
    ['JSON with a spot changed', mutated, 20_000],
  ] as const)('%s', (_name, arbitrary, numRuns) => {
    fc.assert(
      fc.property(arbitrary, (text: string) => scans(text) === parses(text)),
      { numRuns },
    );
  });

  it('and its tokens put together are the text without white space', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\t'), (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        const pieces: string[] = [];
        const push = (start: number, end: number): void => {
          pieces.push(text.slice(start, end));
        };
        scanJson(text, { ...silent, key: push, string: push, number: push, literal: push });
        expect(pieces.join('')).toBe(text.replace(/"(?:[^"\\]|\\.)*"|[\s{}[\],:]/g, (token) => (token.startsWith('"') ? token : '')));
      }),
      { numRuns: 2_000 },
    );
  });
});
