import { codeOf } from '@counterfoil/testing';
import fc from 'fast-check';
import { decodeBase64Url, encodeBase64Url } from './base64url.js';
import { cursorBinding, decodeCursor, encodeCursor } from './cursor.js';

describe('base64url', () => {
  it.each([
    ['', ''],
    ['f', 'Zg'],
    ['fo', 'Zm8'],
    ['foo', 'Zm9v'],
    ['foob', 'Zm9vYg'],
    ['ü?>~', 'w7w_Pn4'],
  ])('writes %j as %j (RFC 4648)', (text, encoded) => {
    expect(encodeBase64Url(text)).toBe(encoded);
    expect(decodeBase64Url(encoded)).toBe(text);
  });

  it('agrees with the bytes that Node writes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(encodeBase64Url(text)).toBe(Buffer.from(text).toString('base64url'));
        expect(decodeBase64Url(encodeBase64Url(text))).toBe(text);
      }),
    );
  });

  it.each(['=', 'Zg==', 'Zh', 'Z', 'Zm9v\n', 'Zm+v', 'Zm/v', '_w', 'ü'])('reads nothing from %j', (odd) => {
    expect(decodeBase64Url(odd)).toBeNull();
  });
});

describe('a cursor', () => {
  const binding = cursorBinding(['receipts', 'w1', null]);

  it('gives its place back', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), fc.string(), (values, id) => {
        expect(decodeCursor(encodeCursor(binding, { values, id }), binding, values.length)).toEqual({ values, id });
      }),
    );
  });

  it.each([
    'x',
    '',
    '!',
    'a'.repeat(2000),
    encodeBase64Url('{'),
    encodeBase64Url('null'),
    encodeBase64Url('[]'),
    encodeBase64Url('{"v":1}'),
    encodeBase64Url(JSON.stringify({ v: 2, f: binding, o: [1], i: 'a' })),
    encodeBase64Url(JSON.stringify({ v: 1, f: binding, o: ['1'], i: 'a' })),
    encodeBase64Url(`{"v":1,"f":"${binding}","o":[1e999],"i":"a"}`),
    encodeBase64Url(JSON.stringify({ v: 1, f: binding, o: [1], i: null })),
    encodeCursor(binding, { values: [1, 2], id: 'a' }),
  ])('is refused as none: %j', (odd) => {
    expect(codeOf(() => decodeCursor(odd, binding, 1))).toBe('invalid_cursor');
  });

  it('is refused beside anything but what it was given for', () => {
    const cursor = encodeCursor(binding, { values: [1], id: 'a' });
    for (const other of [
      ['receipts', 'w2', null],
      ['receipts', 'w1', 'u1'],
      ['sessions', 'w1', null],
      ['receipts', 'w1', null, 's1'],
    ]) {
      expect(codeOf(() => decodeCursor(cursor, cursorBinding(other), 1))).toBe('cursor_mismatch');
    }
  });

  it('is bound by 16 hex digits that tell close texts apart', () => {
    const bindings = Array.from({ length: 20_000 }, (_, i) => cursorBinding(['receipts', 'w1', `u${i}`]));
    expect(bindings.every((text) => /^[0-9a-f]{16}$/.test(text))).toBe(true);
    expect(new Set(bindings).size).toBe(bindings.length);
  });
});
