import { payloadDigest } from '@counterfoil/canonical';
import { Payload } from '@counterfoil/contracts';
import { fakePem, KEY, nested, redactFree, redactJson, textOf } from '../spec-support.js';
import { redactRecord } from './redact-record.js';

describe('an envelope', () => {
  it('states size and digest of the text as it came, and where what was taken out', () => {
    const text = '{"user":"ann","password":"FAKEpass1"}';
    const { payload } = redactJson(text);
    expect(Payload.parse(payload)).toEqual({
      json: '{"user":"ann","password":"[redacted:key.password:9]"}',
      bytes: text.length,
      storedBytes: 53,
      state: 'whole',
      digest: payloadDigest(KEY, text),
      redactions: [{ path: '/password', rule: 'key.password', bytes: 9 }],
      anomalies: [],
    });
  });

  it('keeps an absent input absent', () => {
    expect(redactRecord({ a: null }, { key: KEY, known: [] })).toEqual({ payloads: { a: null }, learned: [] });
  });

  it('lists 100 redactions and counts the rest', () => {
    const { payload } = redactJson(JSON.stringify(Array.from({ length: 130 }, (_, at) => ({ token: `FAKEtok${String(at)}` }))));
    expect(payload.redactions).toHaveLength(100);
    expect(payload.redactionsOmitted).toBe(30);
  });

  it('refuses a limit in which no mark would fit', () => {
    expect(() => redactJson('1', 63)).toThrow(RangeError);
  });
});

describe('untouched parts keep their spelling', () => {
  it.each([
    '{ "b" : 1.0e+2 ,\n\t"a":[ -0, 9007199254740993 , 1E400 ], "\\u0041":"\\/ \\u00e9 é \\ud83d\\ude00 😀" }',
    '  [true,false , null,""]\n',
    '"\\u005c\\u005c \\b\\f"',
    '{"__proto__":{"constructor":1},"1":2,"1":3}',
  ])('%j', (text) => {
    const { payload } = redactJson(text);
    expect(payload.json).toBe(text);
    expect(payload.redactions).toEqual([]);
  });

  it('around what goes out, too', () => {
    const { payload } = redactJson('{ "a":"\\u0041 password=FAKEx1 \\u00e9\\/" , "token" :\t1234567 }');
    expect(payload.json).toBe('{ "a":"\\u0041 password=[redacted:text.password:6] \\u00e9\\/" , "token" :\t"[redacted:key.token:7]" }');
  });
});

describe('JSON in strings (case 38)', () => {
  it.each([1, 2, 3, 4, 5, 8])('an api key %i levels deep goes out, and all levels still parse', (levels) => {
    let text = '{"api_key":"FAKEkey12345","n": 1.50}';
    for (let level = 0; level < levels; level++) text = JSON.stringify({ body: text });
    let value: unknown = JSON.parse(redactJson(text).payload.json);
    for (let level = 0; level < levels; level++) value = JSON.parse((value as { body: string }).body);
    expect(value).toEqual({ api_key: '[redacted:key.api_key:12]', n: 1.5 });
  });

  it('keeps the escapes of the outer text as they were', () => {
    const { payload } = redactJson('{"a":"{\\u0022token\\u0022:\\u0022FAKEtoken1\\u0022,\\"x\\":\\"\\/\\"}"}');
    expect(payload.json).toBe('{"a":"{\\u0022token\\u0022:\\u0022[redacted:key.token:10]\\u0022,\\"x\\":\\"\\/\\"}"}');
    expect(payload.redactions[0]?.path).toBe('/a#/token');
  });

  it('quotes a number of an inner level as that level needs it', () => {
    const { payload } = redactJson(JSON.stringify({ a: '{"access_token":12345678,"b":2}' }));
    expect(JSON.parse((JSON.parse(payload.json) as { a: string }).a)).toEqual({ access_token: '[redacted:key.token:8]', b: 2 });
  });

  it('what is nested deeper than is read as JSON is read as text, never skipped', () => {
    let text = '{"token":"FAKEdeeptoken1"}';
    for (let level = 0; level < 15; level++) text = nested(text, 1);
    expect(redactJson(text).payload.json).not.toContain('FAKEdeeptoken1');
  });

  it.each([1, 2, 3, 4, 5])('a fragment in a log line, %i times escaped', (levels) => {
    const fragment = nested('{"api_key":"FAKEkey12345","n":1}', levels - 1).slice(levels > 1 ? 1 : 0, levels > 1 ? -1 : undefined);
    const text = textOf(redactFree(`sent payload=${fragment} ok`).payload);
    expect(text).not.toContain('FAKE');
    expect(text).toBe(`sent payload=${fragment.replace('FAKEkey12345', '[redacted:text.api_key:12]')} ok`);
  });

  it('a fragment stays JSON where a value has no quotes', () => {
    const text = textOf(redactFree('got {\\"token\\":12345678,\\"credentials\\":[\\"FAKEc1\\"]} back').payload);
    expect(text).toBe('got {\\"token\\":\\"[redacted:text.token:8]\\",\\"credentials\\":\\"[redacted:text.credentials:12]\\"} back');
  });

  it.each([1, 2, 3, 4, 5])('a text that was cut before its JSON ended, %i times escaped', (levels) => {
    const whole = nested('{"user":"ann","client_secret":"FAKE\\"quoted\\\\secret', levels);
    expect(textOf(redactFree(whole.slice(0, -levels)).payload)).not.toMatch(/FAKE|quoted|secret"*$/);
  });
});

describe('by the name of the key (case 39)', () => {
  it.each(['x-api-key', 'github_token', 'TELEGRAM_BOT_TOKEN', 'Authorization', 'Cookie', 'Set-Cookie', 'Proxy-Authorization'])(
    '%s with a string, a number, an array and an object',
    (key) => {
      for (const value of ['"FAKEvalue1"', '123456', '["FAKEvalue1",{"a":"FAKEvalue2"}]', '{"a":{"b":"FAKEvalue1"}}']) {
        const { payload } = redactJson(`{"${key}": ${value} }`);
        expect(payload.json).toMatch(/^\{"[A-Za-z_-]+": "\[redacted:key\.[a-z_]+:[0-9]+\]" \}$/);
      }
    },
  );

  it('nothing stays nothing', () => {
    const text = '{"password":"","token":null,"secret":true,"api_key":false,"cookies":[],"credentials":{}}';
    expect(redactJson(text).payload.json).toBe(text);
  });

  it('headers as pairs, whichever way round', () => {
    const text = JSON.stringify([
      { name: 'Authorization', value: 'Bearer FAKEbearer1' },
      { value: 'FAKEvalue1', key: 'X-Api-Key' },
      ['Cookie', 'sid=FAKEsid1'],
      { name: 'Accept', value: 'text/html' },
    ]);
    expect(JSON.parse(redactJson(text).payload.json)).toEqual([
      { name: 'Authorization', value: '[redacted:key.authorization:18]' },
      { value: '[redacted:key.api_key:10]', key: 'X-Api-Key' },
      ['Cookie', '[redacted:key.cookie:12]'],
      { name: 'Accept', value: 'text/html' },
    ]);
  });

  it('raw headers in one flat list, options and variables in lists', () => {
    const text = JSON.stringify({
      rawHeaders: ['Host', 'x', 'Authorization', 'FAKEauth1', 'Accept', '*/*'],
      argv: ['login', '--password', 'FAKEpw1', '--verbose'],
      curl: ['curl', '-u', 'ann:FAKEpw2', 'https://x'],
      env: ['HOME=/root', 'DB_PASSWORD=FAKE correct horse', 'A=b'],
    });
    expect(JSON.parse(redactJson(text).payload.json)).toEqual({
      rawHeaders: ['Host', 'x', 'Authorization', '[redacted:key.authorization:9]', 'Accept', '*/*'],
      argv: ['login', '--password', '[redacted:key.password:7]', '--verbose'],
      curl: ['curl', '-u', 'ann:[redacted:option.user:7]', 'https://x'],
      env: ['HOME=/root', 'DB_PASSWORD=[redacted:env.password:18]', 'A=b'],
    });
  });

  it("a schema's description of a password stays, its default goes", () => {
    const text = '{"properties":{"password":{"type":"string","minLength":8,"default":"FAKEdefault"}},"required":["password","email"]}';
    const { payload } = redactJson(text);
    expect(payload.json).toBe(text.replace('FAKEdefault', '[redacted:key.password:11]'));
  });

  it('a secret in a key goes out of the text and of the paths', () => {
    const { payload } = redactJson('{"sk-FAKE1234567890":{"password":"FAKEpassword1"}}');
    expect(payload.json).toBe('{"[redacted:token.sk:17]":{"password":"[redacted:key.password:13]"}}');
    expect(payload.redactions.map(({ path }) => path)).toEqual(['/[redacted:token.sk:17]', '/[redacted:token.sk:17]/password']);
  });
});

describe('by value, within one record (case 40)', () => {
  it('a key that is redacted in the arguments goes out of the error text', () => {
    const { payloads } = redactRecord(
      {
        arguments: { kind: 'json', text: '{"api_key":"FAKEkey12345"}' },
        error: { kind: 'text', text: 'the server refused FAKEkey12345 twice: FAKEkey12345' },
        output: { kind: 'json', text: '{"echo":"[\\"FAKEkey12345\\"]","FAKEkey12345":1}' },
      },
      { key: KEY, known: [] },
    );
    const all = JSON.stringify(payloads);
    expect(all).not.toContain('FAKEkey12345');
    expect(payloads.error?.redactions.map(({ rule }) => rule)).toEqual(['known', 'known']);
    expect(payloads.output?.redactions.map(({ path }) => path)).toEqual(['/echo#/0', '/[redacted:known:12]']);
  });

  it.each([
    ['Basic RkFLRXVzZXI6RkFLRXB3MTIz', 'FAKEpw123'],
    ['https://ann:FAKEp%40ss1@host/', 'FAKEp@ss1'],
    ['Bearer FAKEbearer1', 'FAKEbearer1'],
    ['FAKE"quoted\\1', 'FAKE\\"quoted\\\\1'],
    ['FAKE pass/1', 'FAKE%20pass%2F1'],
  ])('%s hides %s', (value, elsewhere) => {
    const { payloads } = redactRecord(
      { arguments: { kind: 'json', text: JSON.stringify({ authorization: value }) }, error: { kind: 'text', text: `bad: ${elsewhere}.` } },
      { key: KEY, known: [] },
    );
    expect(textOf(payloads.error)).toMatch(/^bad: \[redacted:known:[0-9]+\]\.$/);
  });

  it('a number is found as a number, too', () => {
    const { payload } = redactJson('{"token":81234567,"again":81234567,"text":"is 81234567"}');
    expect(payload.json).toBe('{"token":"[redacted:key.token:8]","again":"[redacted:known:8]","text":"is [redacted:known:8]"}');
  });

  it('a plain setting beside secrets goes out with them, and stays elsewhere', () => {
    const { payload } = redactJson(
      '{"credentials":{"type":"service_account","region":"eu-west","key_data":"FAKE1data2"},"a":"service_account FAKE1data2"}',
    );
    expect(payload.json).toContain('"a":"service_account [redacted:known:10]"');
  });

  it('a private key that is cut over two fields goes out of both', () => {
    const pem = fakePem(8);
    const half = pem.indexOf('\n', pem.length / 2) + 20;
    const { payloads } = redactRecord(
      { stdout: { kind: 'text', text: `$ cat key\n${pem.slice(0, half)}` }, more: { kind: 'text', text: `${pem.slice(half)}\n$ exit` } },
      { key: KEY, known: [] },
    );
    expect(JSON.stringify(payloads)).not.toMatch(/MIIFAKE|KeyLine/);
    expect(textOf(payloads.more)).toMatch(/^\[redacted:[a-z_.]+:[0-9]+\]\n\$ exit$/);
  });

  it('the secret half of a key pair of AWS is found without any name', () => {
    const secret = 'FAKEalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEK';
    const { payload } = redactJson(
      JSON.stringify({ id: 'AKIAFAKE1234567890AB', rows: [secret, 'da39a3ee5e6b4b0d3255bfef95601890afd80709'] }),
    );
    expect(payload.json).toContain('["[redacted:aws.secret_key:40]","da39a3ee5e6b4b0d3255bfef95601890afd80709"]');
  });
});

describe('odd text is kept (case 47)', () => {
  it('in JSON: tokens that are none become strings, what is escaped stays', () => {
    const { payload } = redactJson('[NaN,-Infinity,"a\u0000b\\u0000\ud800\\udc00",9007199254740993,1e999]');
    expect(payload.json).toBe('["NaN","-Infinity","a\\u0000b\\u0000\\ud800\\udc00",9007199254740993,1e999]');
    expect(payload.anomalies).toEqual(
      expect.arrayContaining(['not_a_number', 'infinity', 'control_character', 'nul', 'integer_inexact', 'number_overflow']),
    );
  });

  it('a lone surrogate in free text is stored as an escape', () => {
    const { payload } = redactFree('a\ud800 \0 password=FAKEx1\udfff');
    expect(payload.json).toBe('"a\\ud800 \\u0000 password=[redacted:text.password:9]"');
    expect(payload.anomalies).toEqual(['lone_surrogate', 'nul']);
    expect(payload.bytes).toBe(Buffer.byteLength('a___ \0 password=FAKEx1___'));
  });

  it('text that is no JSON is kept as text, and marked', () => {
    const { payload } = redactJson('{"a":1');
    expect(payload.json).toBe('"{\\"a\\":1"');
    expect(payload.anomalies).toEqual(['not_json']);
  });

  it('anomalies that the caller saw are kept', () => {
    const { payloads } = redactRecord({ it: { kind: 'text', text: 'x', anomalies: ['invalid_utf8'] } }, { key: KEY, known: [] });
    expect(payloads.it?.anomalies).toEqual(['invalid_utf8']);
  });

  it('duplicate keys stay both, and both are redacted', () => {
    const { payload } = redactJson('{"token":"FAKEa1","token":"FAKEb1"}');
    expect(payload.json).toBe('{"token":"[redacted:key.token:6]","token":"[redacted:key.token:6]"}');
    expect(payload.anomalies).toEqual(['duplicate_key']);
  });
});

describe('any depth (case 44)', () => {
  it('a secret under 100,000 arrays', () => {
    const depth = 100_000;
    const { payload } = redactJson(`${'['.repeat(depth)}{"token":"FAKEdeep1"}${']'.repeat(depth)}`, 300_000);
    expect(payload.json).toContain('{"token":"[redacted:key.token:9]"}');
    expect(payload.redactions[0]?.path.length).toBeLessThanOrEqual(200);
  });

  it('secrets within secrets', () => {
    const depth = 2000;
    const { payload } = redactJson(`${'{"token":'.repeat(depth)}"FAKEdeep1"${'}'.repeat(depth)}`);
    expect(payload.json).toMatch(/^\{"token":"\[redacted:key\.token:[0-9]+\]"\}$/);
  });
});

describe('marks', () => {
  it.each([
    '{"password":"<redacted>","a":"password=<redacted> sk-<redacted>"}',
    '{"token":"[redacted:key.token:12]","a":"Authorization: Bearer [redacted:header.authorization:9]"}',
    '{"a":"cookie: …[cut: 812 bytes]"}',
    '{"secret":"***","api_key":"xxxxxxxx","pwd":"[REDACTED]"}',
  ])('%s stays as it is', (text) => {
    const { payload } = redactJson(text);
    expect(payload.json).toBe(text);
    expect(payload.redactions).toEqual([]);
  });

  it('the text beside a mark is still looked at', () => {
    expect(textOf(redactFree('token=[redacted:text.token:4] password=FAKEx1').payload)).toBe(
      'token=[redacted:text.token:4] password=[redacted:text.password:6]',
    );
  });
});
