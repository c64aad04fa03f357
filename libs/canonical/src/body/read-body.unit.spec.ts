import { encodeUtf8 } from '../utf8.js';
import { BodyError } from './body-error.js';
import { RawJson } from './raw-json.js';
import { readBody } from './read-body.js';

const RAW = ['arguments', 'argumentsJson', 'output', 'error.message', 'outcome.error.message', 'commands.[].arguments'];

const read = (body: string | Uint8Array, maxDepth = 32): Record<string, unknown> =>
  readBody(typeof body === 'string' ? encodeUtf8(body) : body, { raw: RAW, maxDepth }) as Record<string, unknown>;

function refusal(body: string | Uint8Array, maxDepth?: number): BodyError {
  try {
    read(body, maxDepth);
  } catch (error) {
    if (error instanceof BodyError) return error;
    throw error;
  }
  throw new Error('the body was taken');
}

describe('readBody: the tree', () => {
  it('is what JSON.parse makes, of objects without a prototype', () => {
    const text = ' {"a":[1,-0,2.5e3,true,false,null,"x\\n\\ud83d\\ude00",[],{}],"b":{"c":{"d":"é"}},"10":1,"9":2} ';
    const tree = read(text);
    expect(JSON.stringify(tree)).toBe(JSON.stringify(JSON.parse(text)));
    expect(Object.getPrototypeOf(tree)).toBeNull();
    expect(Object.is((tree.a as unknown[])[1], -0)).toBe(true);
  });

  it('has __proto__ and constructor as ordinary own members', () => {
    const tree = read('{"__proto__":{"admin":true},"constructor":1}');
    expect(Object.keys(tree)).toEqual(['__proto__', 'constructor']);
    expect(Object.getOwnPropertyDescriptor(tree, '__proto__')?.value).toEqual({ admin: true });
    expect(tree.admin).toBeUndefined();
  });

  it.each([
    ['5', 5],
    ['"x"', 'x'],
    ['null', null],
    ['[]', []],
  ])('takes %s at the top', (text, value) => {
    expect(read(text)).toEqual(value);
  });

  it('drops a byte-order mark, and allows NUL', () => {
    expect(read('\ufeff{"a":"\\u0000"}')).toEqual({ a: '\u0000' });
  });
});

describe('readBody: raw members', () => {
  it('keeps their exact spelling', () => {
    const tree = read('{"callId":"c","arguments": { "b" : 1.0,"a":[ ] } ,"argumentsJson":"{\\"a\\":1}","output":"x"}');
    expect(tree.arguments).toEqual(new RawJson('{ "b" : 1.0,"a":[ ] }', []));
    expect((tree.argumentsJson as RawJson).stringValue()).toBe('{"a":1}');
    expect(tree.output).toEqual(new RawJson('"x"', []));
    expect(tree.callId).toBe('c');
  });

  it('finds them on nested paths, in elements, and under escaped keys, and nowhere else', () => {
    const tree = read(
      '{"error":{"message":"m","arguments":1},"outcome":{"error":{"message":null}},"commands":[{"arguments":1},{"arguments":[]}],"outpu\\u0074":2}',
    );
    expect(tree).toEqual({
      error: { message: new RawJson('"m"', []), arguments: 1 },
      outcome: { error: { message: new RawJson('null', []) } },
      commands: [{ arguments: new RawJson('1', []) }, { arguments: new RawJson('[]', []) }],
      output: new RawJson('2', []),
    });
    expect((tree.outcome as { error: { message: RawJson } }).error.message.isNull()).toBe(true);
    expect(read('[{"arguments":1}]')).toEqual([{ arguments: 1 }]);
    expect(read('{"error":"text","commands":{"[]":{"arguments":1}}}')).toEqual({ error: 'text', commands: { '[]': { arguments: 1 } } });
  });

  it.each([
    ['{"k":1,"\\u006b":2}', ['duplicate_key']],
    ['"\\ud800"', ['lone_surrogate']],
    ['[1e400,1e-400,9007199254740993,"\\u0000"]', ['number_overflow', 'number_underflow', 'integer_inexact', 'nul']],
    ['[NaN,-Infinity,"a\nb","\t"]', ['not_a_number', 'infinity', 'control_character']],
    ['1e400', ['number_overflow']],
    ['NaN', ['not_a_number']],
    ['"a\nb"', ['control_character']],
  ])('lists what is odd in %j', (text, anomalies) => {
    expect(read(`{"a":1,"arguments":${text},"b":"ok"}`)).toEqual({ a: 1, arguments: new RawJson(text, anomalies as never), b: 'ok' });
  });

  it('does not hand the anomalies of one to the next', () => {
    const tree = read('{"output":"\\ud800","arguments":1}');
    expect((tree.arguments as RawJson).anomalies).toEqual([]);
  });

  it('has no limit of depth', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect((read(`{"output":${deep}}`, 1).output as RawJson).text).toBe(deep);
  });

  it('keeps bytes that are not UTF-8, and says so', () => {
    const body = Buffer.concat([Buffer.from('{"output":"a'), Buffer.of(0xff, 0xed, 0xa0, 0x80), Buffer.from('","x":1,"arguments":"ok"}')]);
    const tree = read(body);
    expect(tree.output).toEqual(new RawJson('"a\ufffd\ud800"', ['lone_surrogate', 'invalid_utf8']));
    expect(tree.arguments).toEqual(new RawJson('"ok"', []));
  });
});

describe('readBody: refusals', () => {
  it.each([
    '',
    '{',
    '{"a":1,}',
    '{"a":1}x',
    '{"arguments":{"a":}}',
    '{"arguments":tru}',
    '{"a":"x\ny"}',
    '{"a":NaN}',
    '{"a":-Infinity}',
    '{"arguments":{"a":1}',
  ])('%j is not JSON', (body) => {
    expect(refusal(body).code).toBe('malformed_json');
  });

  it.each([
    ['{"a":1,"a":2}', 'duplicate_key'],
    ['{"arguments":1,"arguments":2}', 'duplicate_key'],
    ['{"arguments":1,"argum\\u0065nts":2}', 'duplicate_key'],
    ['{"error":{"message":1,"message":2}}', 'duplicate_key'],
    ['{"a":"\\ud800"}', 'lone_surrogate'],
    ['{"\\udc00":1}', 'lone_surrogate'],
    ['{"a":1e400}', 'number_overflow'],
    ['{"a":[{"b":1e-400}]}', 'number_underflow'],
    ['{"a":9007199254740993}', 'integer_inexact'],
    ['{"arguments":{"a":1},"b":1e400}', 'number_overflow'],
  ])('%s could be taken in two ways', (body, anomaly) => {
    expect(refusal(body)).toMatchObject({ code: 'body_anomaly', anomaly });
  });

  it('counts levels outside raw members only', () => {
    expect(read('{"a":[[1]]}', 3)).toEqual({ a: [[1]] });
    expect(refusal('{"a":[[[1]]]}', 3)).toMatchObject({ code: 'body_too_deep', position: 7 });
    expect(refusal('['.repeat(1_000_000)).code).toBe('body_too_deep');
  });

  it('has no more values than it may, those inside raw members not counted', () => {
    const read = (text: string) => readBody(new TextEncoder().encode(text), { raw: ['x'], maxDepth: 4, maxValues: 5 });
    expect(read('{"a":[1,2],"x":[1,2,3,4,5,6]}')).toMatchObject({ a: [1, 2] });
    expect(() => read('{"a":[1,2,3],"x":[]}')).toThrow('more than 5 values');
    expect(() => read('[{},{},{},{},{}]')).toThrow('more than 5 values');
  });

  it.each([
    [['{"a":"', 'ff', '"}'], 6],
    [['{"a":"', 'eda080', '"}'], 6],
    [['{"', 'ff', '":1}'], 2],
    [['{"a":"', 'ff', '","arguments":1}'], 6],
    [['{"a":"', 'ff', '","b":1e400}'], 6],
    [['{"a":"', 'ff', '",}'], 6],
    [['', 'ff', '{}'], 0],
  ] as const)('says where a body is not UTF-8: %j', ([before, hex, after], position) => {
    const body = Buffer.concat([Buffer.from(before), Buffer.from(hex, 'hex'), Buffer.from(after)]);
    expect(refusal(body)).toMatchObject({ code: 'invalid_utf8', position });
  });

  it('calls bytes that are not UTF-8 malformed where a raw member is no JSON', () => {
    expect(refusal(Buffer.concat([Buffer.from('{"arguments":{"a":'), Buffer.of(0xff), Buffer.from('}}')])).code).toBe('malformed_json');
  });

  it('never quotes the body', () => {
    for (const body of ['{"FAKEsecret":1,"FAKEsecret":2}', '{"a":"FAKEsecret\\ud800"}', '{"FAKEsecret" 1}']) {
      expect(JSON.stringify([refusal(body).detail, refusal(body).message])).not.toContain('FAKE');
    }
  });
});
