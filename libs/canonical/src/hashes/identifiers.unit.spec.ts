import fc from 'fast-check';
import { apiKeySecretHash, newApiKey, parseApiKey } from './api-key.js';
import { HashInputError, sha256Hex } from './digest.js';
import { approvalId, parseApprovalId } from './ids.js';
import { secureRandom } from './random.js';
import { uuidV5, uuidV7 } from './uuid.js';

describe('approval ids', () => {
  it('give back their session and number', () => {
    const character = fc.constantFrom('a', 'Z', '0', '9', '.', '_', ':', '-');
    const session = fc.array(character, { minLength: 1, maxLength: 128 }).map((characters) => characters.join(''));
    fc.assert(
      fc.property(session, fc.integer({ min: 0, max: 999_999_999 }), (sessionId, n) => {
        expect(parseApprovalId(approvalId(sessionId, n))).toEqual({ sessionId, n });
      }),
    );
    expect(approvalId('s1', 3)).toBe('apr_s1_3');
  });

  it.each([
    '',
    'apr_s1',
    'apr__1',
    'apr_s1_',
    'apr_s1_01',
    'apr_s1_-1',
    'apr_s/1_1',
    'apr_s1_1 ',
    'rcp_s1_1',
    `apr_${'s'.repeat(129)}_1`,
    'apr_s1_1000000000',
  ])('does not take %j for one', (text) => {
    expect(parseApprovalId(text)).toBeNull();
  });

  it.each([
    ['', 1],
    ['a b', 1],
    ['s', -1],
    ['s', 1.5],
    ['s', 1e9],
    ['s', Number.NaN],
  ] as const)('makes none of %j and %d', (sessionId, n) => {
    expect(() => approvalId(sessionId, n)).toThrow(HashInputError);
  });
});

describe('API keys', () => {
  it('are found by their id and stored hashed', () => {
    const made = newApiKey('FAKE-01', (n) => new Uint8Array(n).fill(255));
    expect(made).toEqual({ keyId: 'FAKE-01', secret: `cfk_FAKE-01_${'_'.repeat(42)}8` });
    expect(parseApiKey(made.secret)).toEqual({ keyId: 'FAKE-01' });
    expect(apiKeySecretHash(made.secret)).toBe(sha256Hex(made.secret));
  });

  it('are random', () => {
    const [one, two] = [newApiKey(), newApiKey()];
    expect(one.keyId).toMatch(/^[0-9a-f]{16}$/);
    expect(one.secret).toMatch(/^cfk_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/);
    expect(parseApiKey(one.secret)?.keyId).toBe(one.keyId);
    expect(one.keyId).not.toBe(two.keyId);
    expect(one.secret.slice(21)).not.toBe(two.secret.slice(21));
  });

  it.each([
    '',
    'cfk_',
    'cfk_a',
    'cfk_a_short',
    `cfk__${'a'.repeat(43)}`,
    `xfk_a_${'a'.repeat(43)}`,
    `cfk_a_${'a'.repeat(44)}`,
    `cfk_a_${'a'.repeat(42)}\n`,
  ])('does not take %j for one', (text) => {
    expect(parseApiKey(text)).toBeNull();
  });

  it('takes no key id with an underscore', () => {
    expect(() => newApiKey('a_b')).toThrow(HashInputError);
  });
});

describe('secureRandom', () => {
  it('gives as many bytes as asked for, and never the same', () => {
    const given = Array.from({ length: 1_000 }, () => Buffer.from(secureRandom(16)).toString('hex'));
    expect(new Set(given).size).toBe(1_000);
    expect(secureRandom(10_000).length).toBe(10_000);
    expect(secureRandom(0).length).toBe(0);
  });
});

describe('uuidV7', () => {
  const SHAPE = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

  it('begins with the time, and has version and variant', () => {
    const now = Date.UTC(2100, 0, 1);
    const id = uuidV7(now);
    expect(id).toMatch(SHAPE);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(now);
  });

  it('keeps the order of the calls, though the clock stands still, steps back, and the count runs over', () => {
    const now = Date.UTC(2100, 0, 2);
    const ids = Array.from({ length: 20_000 }, (_, index) =>
      uuidV7(index % 3 === 0 ? now - 5_000 : now, (n) => new Uint8Array(n).fill(255)),
    );
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids.slice(0, 50)) expect(id).toMatch(SHAPE);
  });

  it.each([-1, 1.5, Number.NaN, 2 ** 48])('takes %d for no time', (now) => {
    expect(() => uuidV7(now)).toThrow(HashInputError);
  });
});

describe('uuidV5', () => {
  it('is the one of RFC 9562 appendix A.4', () => {
    expect(uuidV5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
    expect(uuidV5('6BA7B810-9DAD-11D1-80B4-00C04FD430C8', 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
    expect(() => uuidV5('no uuid', 'x')).toThrow(HashInputError);
  });
});
