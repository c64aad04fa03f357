import { keyed } from '@counterfoil/canonical';
import { KnownSecret } from '@counterfoil/contracts';
import { redactRecord } from '../record/redact-record.js';
import { KEY, redactFree, redactJson, textOf } from '../spec-support.js';
import { secretForms } from './forms.js';
import { Budget, Matcher } from './matcher.js';
import { filterOf, rollingBase, rollOver } from './rolling.js';

describe('a secret of the session', () => {
  it('is kept as its length, a filter and a digest', () => {
    const { learned } = redactJson('{"password":"FAKEpassword1"}');
    expect(learned).toEqual([{ length: 13, filter: filterOf(rollingBase(KEY), 'FAKEpa'), mac: keyed(KEY, 'known', 'FAKEpassword1') }]);
    expect(KnownSecret.parse(learned[0])).toEqual(learned[0]);
    expect(JSON.stringify(learned)).not.toContain('FAKE');
  });

  it('goes out of every later payload', () => {
    const { learned } = redactJson('{"password":"FAKEpassword1"}');
    const later = redactJson('{"echo":["FAKEpassword1"],"said":"it is xFAKEpassword1x"}', undefined, learned);
    expect(later.payload.json).toBe('{"echo":["[redacted:known:13]"],"said":"it is x[redacted:known:13]x"}');
    expect(later.learned).toEqual([]);
  });

  it('is not learned twice', () => {
    const { learned } = redactJson('{"password":"FAKEpassword1"}');
    expect(redactJson('{"password":"FAKEpassword1","token":"FAKEtoken1"}', undefined, learned).learned).toHaveLength(1);
  });

  it('a short one is not cut out of a longer word', () => {
    const { learned } = redactJson('{"password":"FAKEpw1"}');
    const text = 'FAKEpw1 xFAKEpw1 FAKEpw12 (FAKEpw1) \\nFAKEpw1 %20FAKEpw1 \u001b[31mFAKEpw1';
    expect(textOf(redactFree(text, undefined, learned).payload)).toBe(text.replace(/(?<![x])FAKEpw1(?!2)/g, '[redacted:known:7]'));
  });

  it.each(['changeme', 'password', 'secret', 'required', 'abc', '12345', '********', 'undefined'])(
    '%s is no value to look for',
    (value) => {
      expect(redactJson(JSON.stringify({ password: value })).learned).toEqual([]);
    },
  );

  it('a long one is known in pieces, a private key by its lines', () => {
    const value = `FAKE${Array.from({ length: 160 }, (_, at) => String(at * 7919 + 1000).slice(-4)).join('')}`;
    const { learned } = redactJson(JSON.stringify({ token: value }));
    expect(learned.map(({ length }) => length)).toEqual([128, 128, 128, 128, 128, 128]);
    expect(textOf(redactFree(`part ${value.slice(0, 300)}`, undefined, learned).payload)).not.toContain(value.slice(0, 20));
    expect(secretForms('-----BEGIN PRIVATE KEY-----\n  MIIFAKE0123456789\n-----END PRIVATE KEY-----')).toEqual(['MIIFAKE0123456789']);
  });

  it('at most 200 are learned, the rest is still found within the record', () => {
    const secrets = Array.from({ length: 300 }, (_, at) => `FAKEsecret${String(at)}x`);
    const { payloads, learned } = redactRecord(
      { a: { kind: 'json', text: JSON.stringify(secrets.map((token) => ({ token }))) }, b: { kind: 'text', text: secrets.join(' ') } },
      { key: KEY, known: [] },
    );
    expect(learned).toHaveLength(200);
    expect(payloads.b?.json).not.toContain('FAKE');
  });
});

describe('the search', () => {
  it('finds the filter of every stretch that it rolls over', () => {
    const base = rollingBase(KEY);
    const text = 'the quick brown fox 🦊 jumps';
    const all = new Uint32Array(2048).fill(0xffffffff);
    const seen: number[] = [];
    rollOver(base, text, all, (at, filter) => {
      expect(filter).toBe(filterOf(base, text.slice(at, at + 6)));
      seen.push(at);
      return true;
    });
    expect(seen).toEqual(Array.from({ length: text.length - 5 }, (_, at) => at));
  });

  it('keeps its filter: stored events hold it', () => {
    expect(rollingBase(KEY)).toBe(1066118127);
    expect(filterOf(1066118127, 'FAKEpassword1')).toBe(32267);
  });

  it('takes the text out whole when checking it costs too much', () => {
    const { learned } = redactJson('{"password":"FAKEFAKEFAKEFAKE1"}');
    const { payload } = redactJson(JSON.stringify({ a: 'fine', b: 'FAKE'.repeat(20_000), c: 'also fine' }), undefined, learned);
    expect(payload.json).toBe('{"a":"fine","b":"[redacted:known.budget:80000]","c":"also fine"}');
  });

  it('does not look where something goes out anyway', () => {
    const matcher = new Matcher(KEY, [], ['FAKEvalue1']);
    expect(matcher.find('FAKEvalue1 FAKEvalue1', [{ start: 0, end: 10, rule: 'x' }], new Budget(0))).toEqual([
      { start: 11, end: 21, rule: 'known' },
    ]);
  });
});
