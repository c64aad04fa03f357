import fc from 'fast-check';
import { escapedBytes } from '../bound/size.js';
import { redactText } from '../plain.js';
import { KEY, nested } from '../spec-support.js';
import type { RedactionInput } from './input.js';
import { redactRecord } from './redact-record.js';

// Text made of what the rules look for, of what ends it, and of what breaks it.
const FRAGMENTS = [
  ...[
    'password',
    'token',
    'api_key',
    'Authorization',
    'Cookie',
    'name',
    'value',
    'user',
    'string',
    'null',
    'the',
    'is',
    'abc',
    'hunter',
    'curl ',
  ],
  ...[
    '"',
    '\\"',
    '\\\\\\"',
    "'",
    '`',
    ':',
    '=',
    ': ',
    ' = ',
    '==',
    '=>',
    ' ',
    '\n',
    '\\n',
    '\\',
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    ',',
    ';',
    '&',
  ],
  ...['<', '>', '</', '--', '-u ', '://', '@', '?', '.', '/', '-', '_', '*', '%20', '…', 'é', '😀', '\ud800', '\0', '12345678'],
  ...[
    'Bearer ',
    'Basic ',
    'Digest ',
    'eyJ',
    'eyJhbGciOiJIUzI1NiJ9',
    'sk-',
    'sk-FAKE12345678',
    'ghp_',
    'AKIAFAKE1234567890AB',
    'FAKEsecret12345',
  ],
  ...[
    'FAKEalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEK',
    '-----BEGIN PRIVATE KEY-----',
    '-----END PRIVATE KEY-----',
    '-----',
    'MIIFAKEabcdefghijklmnop',
  ],
  ...[
    '[redacted:key.token:4]',
    '[redacted:',
    '<redacted>',
    '…[cut: 12 bytes]',
    '{"password":"FAKEpw1234"}',
    '{"name":"Cookie","value":"FAKEv1=2"}',
  ],
];
const oddText = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 14 }).map((parts) => parts.join(''));

/** JSON text with keys that the rules look for, strings that hold JSON, and white space. */
const oddJson = fc.letrec<{ value: string; member: string }>((tie) => ({
  member: fc
    .tuple(
      fc.oneof(fc.constantFrom('a', 'password', 'token', 'properties', 'name', 'value', 'key', 'type', 'credentials'), oddText),
      tie('value'),
    )
    .map(([key, value]) => `${JSON.stringify(key)} : ${value}`),
  value: fc.oneof(
    { maxDepth: 4 },
    fc.tuple(oddText, fc.integer({ min: 1, max: 3 })).map(([text, levels]) => nested(text, levels)),
    fc.tuple(oddText, oddText).map(([a, token]) => JSON.stringify(JSON.stringify({ a, token }))),
    fc.constantFrom('1', '-0', '12345678', '1.50', 'null', 'true', '"\\u0041\\/"', 'NaN', '9007199254740993'),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(', ')}]`),
    fc.array(tie('member'), { maxLength: 4 }).map((members) => `{${members.join(',')} }`),
  ),
})).value;

const limit = fc.oneof(fc.constant(65_536), fc.integer({ min: 64, max: 600 }));
const input: fc.Arbitrary<RedactionInput> = fc.oneof(
  oddJson.map((text): RedactionInput => ({ kind: 'json', text })),
  oddText.map((text): RedactionInput => ({ kind: 'text', text })),
  oddText.map((text): RedactionInput => ({ kind: 'json', text })),
);

describe('whatever comes in', () => {
  it('what comes out parses, is within its limit, well-formed, and stays as it is when it comes again', () => {
    fc.assert(
      fc.property(input, input, limit, (a, b, most) => {
        const limits = { a: most };
        const once = redactRecord({ a, b }, { key: KEY, known: [], limits }).payloads;
        for (const payload of [once.a, once.b]) {
          expect(() => JSON.parse(payload?.json ?? '') as unknown).not.toThrow();
          expect(payload?.json.isWellFormed()).toBe(true);
          for (const { path } of payload?.redactions ?? []) expect(path.length).toBeLessThanOrEqual(200);
        }
        expect(escapedBytes(once.a?.json ?? '')).toBeLessThanOrEqual(most);
        const again = { a: { kind: 'json', text: once.a?.json ?? '' }, b: { kind: 'json', text: once.b?.json ?? '' } } as const;
        const twice = redactRecord(again, { key: KEY, known: [], limits });
        expect([twice.payloads.a?.json, twice.payloads.b?.json]).toEqual([once.a?.json, once.b?.json]);
        expect([twice.payloads.a?.redactions, twice.payloads.b?.redactions, twice.learned]).toEqual([[], [], []]);
      }),
      { numRuns: 3000 },
    );
  });

  it('what was learned changes nothing in what was redacted with it', () => {
    fc.assert(
      fc.property(input, input, (a, b) => {
        const once = redactRecord({ a, b }, { key: KEY, known: [] });
        const again = {
          a: { kind: 'json', text: once.payloads.a?.json ?? '' },
          b: { kind: 'json', text: once.payloads.b?.json ?? '' },
        } as const;
        const twice = redactRecord(again, { key: KEY, known: once.learned });
        expect([twice.payloads.a?.json, twice.payloads.b?.json]).toEqual([once.payloads.a?.json, once.payloads.b?.json]);
      }),
      { numRuns: 1500 },
    );
  });

  it('text in which nothing is found is untouched', () => {
    fc.assert(
      fc.property(oddJson, (text) => {
        const { it } = redactRecord({ it: { kind: 'json', text } }, { key: KEY, known: [] }).payloads;
        fc.pre(it?.redactions.length === 0 && it.anomalies.length === 0);
        expect(it.json).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  it('any JSON, and any limit', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), fc.integer({ min: 64, max: 400 }), (text, most) => {
        const { it } = redactRecord({ it: { kind: 'json', text } }, { key: KEY, known: [], limits: { it: most } }).payloads;
        expect(escapedBytes(it?.json ?? '')).toBeLessThanOrEqual(most);
        expect(() => JSON.parse(it?.json ?? '') as unknown).not.toThrow();
        expect(it?.state === 'cut').toBe(it?.json.includes('…[cut') === true);
      }),
      { numRuns: 2000 },
    );
  });

  it('a log line redacted twice is one redacted once', () => {
    fc.assert(
      fc.property(oddText, (text) => {
        const once = redactText(text);
        expect(redactText(once)).toBe(once);
      }),
      { numRuns: 3000 },
    );
  });
});

/** Places in which a secret is one by its key or its pattern. */
const PLACES: readonly ((secret: string) => string)[] = [
  (secret) => JSON.stringify({ a: { api_key: secret } }),
  (secret) => JSON.stringify({ headers: [{ name: 'Authorization', value: `Bearer ${secret}` }] }),
  (secret) => JSON.stringify({ env: ['A=b', `DB_PASSWORD=${secret}`] }),
  (secret) => JSON.stringify({ argv: ['login', '--token', secret] }),
  (secret) => JSON.stringify({ cmd: `export X_TOKEN=${secret}; run` }),
  (secret) => JSON.stringify({ url: `https://u:${secret}@host/x` }),
  (secret) => JSON.stringify({ credentials: [[{ deep: secret }]] }),
  (secret) => JSON.stringify(`login failed: password="${secret}" for ann`),
];

describe('a planted secret', () => {
  const secret = fc.stringMatching(/^FAKE[0-9][A-Za-z0-9]{8,40}$/);

  it('is in no payload of its record, in none after it, and not in what is learned', () => {
    fc.assert(
      fc.property(secret, fc.constantFrom(...PLACES), fc.nat(5), oddText, limit, (hidden, place, levels, around, most) => {
        const { payloads, learned } = redactRecord(
          {
            arguments: { kind: 'json', text: nested(place(hidden), levels) },
            error: { kind: 'text', text: `${around} ${hidden} ${around}` },
            output: { kind: 'json', text: JSON.stringify({ [hidden]: [around, hidden], x: JSON.stringify({ y: `say ${hidden}.` }) }) },
          },
          { key: KEY, known: [], limits: { arguments: most, error: most, output: most } },
        );
        expect(JSON.stringify([payloads, learned])).not.toContain(hidden);
        const later = redactRecord({ it: { kind: 'text', text: `again ${hidden} here` } }, { key: KEY, known: learned });
        expect(JSON.stringify(later)).not.toContain(hidden);
      }),
      { numRuns: 1500 },
    );
  });
});
