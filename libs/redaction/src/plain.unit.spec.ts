import { redactText, secretRuleOf } from './plain.js';
import { safeDisplay } from './display.js';

describe('redactText', () => {
  it.each([
    ['GET /x?token=FAKEt1 failed', 'GET /x?token=[redacted:text.token:6] failed'],
    [
      '{"level":30,"headers":{"authorization":"Bearer FAKEb1"}}',
      '{"level":30,"headers":{"authorization":"[redacted:text.authorization:13]"}}',
    ],
    [
      '{"token":12345,"credentials":{"a":["FAKEb1"]},"n":1}',
      '{"token":"[redacted:text.token:5]","credentials":"[redacted:text.credentials:16]","n":1}',
    ],
    ['nothing here', 'nothing here'],
    ['', ''],
  ])('%s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
    expect(redactText(expected)).toBe(expected);
  });
});

describe('secretRuleOf', () => {
  it.each([
    'call_0',
    'call_abc123',
    'toolu_01AbCdEfGhIjKlMnOpQrStUv',
    'resp_68af4030592c81938ec0a5fbab4a3e9f',
    '3f2a6c1e-8b1d-4c3a-9f57-0d2f6e1c9b7a',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    'V1StGXR8_Z5jdHi6B-myT0',
    'get_secret_value',
    'token:7',
    'secrets:list',
    'mcp__vault__read_token',
    '7',
    '会話-1',
  ])('%s is an ordinary identifier', (identifier) => {
    expect(secretRuleOf(identifier)).toBeNull();
  });

  it.each([
    ['sk-FAKE1234567890', 'token.sk'],
    ['ghp_FAKE0123456789abcdef', 'token.github'],
    ['cfk_3f2a_FAKE0123456789012345678901234567890123456', 'token.counterfoil'],
    ['AKIAFAKE1234567890AB', 'aws.key_id'],
    ['x?password=FAKEp1', 'text.password'],
    ['https://ann:FAKEp1@h', 'url.password'],
    ['-----BEGIN PRIVATE KEY-----', 'pem.private_key'],
  ])('%s is refused by %s', (identifier, rule) => {
    expect(secretRuleOf(identifier)).toBe(rule);
  });
});

describe('safeDisplay', () => {
  it.each([
    ['rm -rf /\u202ecod.', 'rm -rf /\\u{202e}cod.'],
    ['pay\u200bpal \u2066x\u2069', 'pay\\u{200b}pal \\u{2066}x\\u{2069}'],
    ['a\u2028b\u2029c', 'a\\u{2028}b\\u{2029}c'],
    ['\u001b[31mred\u0000\r', '\\u{1b}[31mred\\u{0}\\u{d}'],
    ['\u{e0041}\u3164\u00ad\ufeff', '\\u{e0041}\\u{3164}\\u{ad}\\u{feff}'],
    ['\ud800', '\\u{d800}'],
    ['tab\tline\né 漢字 🧾 ✔️', 'tab\tline\né 漢字 🧾 ✔️'],
  ])('%j', (text, expected) => {
    expect(safeDisplay(text)).toBe(expected);
  });
});
