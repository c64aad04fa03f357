import { scanJson } from './scan.js';
import { unescapeString } from './unescape.js';
import type { AnomalyKind, ScanOptions } from './visitor.js';
import { JsonSyntaxError } from './visitor.js';

/** Every token as `name span`, and the anomalies apart. */
function record(text: string, options?: ScanOptions): { tokens: string[]; anomalies: [AnomalyKind, string][] } {
  const tokens: string[] = [];
  const anomalies: [AnomalyKind, string][] = [];
  const span = (name: string) => (start: number, end: number) => tokens.push(`${name} ${text.slice(start, end)}`);
  scanJson(
    text,
    {
      startObject: (at) => tokens.push(`{ ${at}`),
      endObject: (end) => tokens.push(`} ${end}`),
      startArray: (at) => tokens.push(`[ ${at}`),
      endArray: (end) => tokens.push(`] ${end}`),
      key: (start, end, hasEscape) => span(hasEscape ? 'escaped key' : 'key')(start, end),
      string: (start, end, hasEscape) => span(hasEscape ? 'escaped string' : 'string')(start, end),
      number: span('number'),
      literal: span('literal'),
      anomaly: (kind, start, end) => anomalies.push([kind, text.slice(start, end)]),
    },
    options,
  );
  return { tokens, anomalies };
}

const kinds = (text: string, options?: ScanOptions): AnomalyKind[] => record(text, options).anomalies.map(([kind]) => kind);

function syntaxError(text: string, options?: ScanOptions): JsonSyntaxError {
  try {
    record(text, options);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  throw new Error('the text was taken');
}

describe('scanJson: tokens', () => {
  it('tells spans that include the quotes, in order', () => {
    expect(record(' {"a" : [1, -2.5e3,true] ,"\\u0062":{},"c":"x\\n", "d":[]}\n').tokens).toEqual([
      '{ 1',
      'key "a"',
      '[ 8',
      'number 1',
      'number -2.5e3',
      'literal true',
      '] 24',
      'escaped key "\\u0062"',
      '{ 35',
      '} 37',
      'key "c"',
      'escaped string "x\\n"',
      'key "d"',
      '[ 53',
      '] 55',
      '} 56',
    ]);
  });

  it.each(['5', '"x"', 'null', 'true', 'false', '-0', '[]', '{}'])('takes %s at the top', (text) => {
    expect(record(` ${text} `).tokens.length).toBeGreaterThan(0);
  });

  it('asks nothing of a visitor that does not want anomalies', () => {
    const ignore = (): void => undefined;
    const visitor = { startObject: ignore, endObject: ignore, startArray: ignore, endArray: ignore, key: ignore, string: ignore };
    const numbers: number[] = [];
    scanJson('{"a":1e999,"a":"\\ud800"}', { ...visitor, literal: ignore, number: (start) => numbers.push(start) });
    expect(numbers).toEqual([5]);
  });
});

describe('scanJson: syntax', () => {
  it.each([
    ['', 0],
    ['  ', 2],
    ['{', 1],
    ['[1', 2],
    ['[1,', 3],
    ['[1,]', 3],
    ['{"a"}', 4],
    ['{"a":}', 5],
    ['{"a":1,}', 7],
    ['{a:1}', 1],
    ['[1 2]', 3],
    ['[1}', 2],
    ['{"a":1]', 6],
    ['{} {}', 3],
    ['01', 1],
    ['-', 1],
    ['1.', 2],
    ['1e+', 3],
    ['.5', 0],
    ['tru', 0],
    ['"abc', 4],
    ['"a\\', 2],
    ['"\\x"', 1],
    ['"\\u12G4"', 1],
    ['"a\nb"', 2],
    ['NaN', 0],
    ['-Infinity', 1],
    ['\ufeff{}', 0],
  ])('refuses %j at offset %i', (text, position) => {
    expect(syntaxError(text)).toMatchObject({ code: 'not_json', position });
  });

  it('never quotes the text in its message', () => {
    expect(syntaxError('{"FAKEsecret" FAKEsecret').message).not.toContain('FAKE');
  });
});

describe('scanJson: lenient', () => {
  const lenient = { lenient: true };

  it('takes NaN and infinities, each with its anomaly', () => {
    const { tokens, anomalies } = record('[NaN,Infinity,-Infinity,-1]', lenient);
    expect(tokens).toEqual(['[ 0', 'literal NaN', 'literal Infinity', 'literal -Infinity', 'number -1', '] 27']);
    expect(anomalies).toEqual([
      ['not_a_number', 'NaN'],
      ['infinity', 'Infinity'],
      ['infinity', '-Infinity'],
    ]);
  });

  it('takes raw control characters in strings and keys', () => {
    expect(kinds('{"a\tb":"c\n\u0000"}', lenient)).toEqual(['control_character', 'control_character', 'control_character', 'nul']);
  });

  it.each(['nan', '-NaN', 'Infinit', '+Infinity', "'a'", '\u000b1', '-Inf'])('refuses %j all the same', (text) => {
    expect(syntaxError(text, lenient).code).toBe('not_json');
  });
});

describe('scanJson: anomalies', () => {
  it.each([
    ['"\\ud800"', ['\\ud800']],
    ['"\ud800"', ['\ud800']],
    ['"\\udc00\\ud800"', ['\\udc00', '\\ud800']],
    ['"\\ud800\\ud800\\udc00"', ['\\ud800']],
    ['"\\ud800x\\udc00"', ['\\ud800', '\\udc00']],
    ['{"\\udc00":1}', ['\\udc00']],
    ['["\\ud800","\\udc00"]', ['\\ud800', '\\udc00']],
  ])('finds the lone surrogates in %j', (text, spans) => {
    expect(record(text).anomalies).toEqual(spans.map((span) => ['lone_surrogate', span]));
  });

  it.each(['"\ud83d\ude00"', '"\\ud83d\\ude00"', '"\ud83d\\ude00"', '"\\ud83d\ude00"'])('takes %j for a whole pair', (text) => {
    expect(kinds(text)).toEqual([]);
  });

  it('compares keys after unescaping, within one object', () => {
    expect(record('{"a":{"a":1},"b":[{"a":1},{"a":1}],"\\u0061":2,"b":3}').anomalies).toEqual([
      ['duplicate_key', '"\\u0061"'],
      ['duplicate_key', '"b"'],
    ]);
  });

  it('finds a duplicate among many keys, after nested objects, and among keys like indices', () => {
    const keys = Array.from({ length: 50 }, (_, index) => `"${index}":{"x":1,"0":2}`);
    expect(kinds(`{${keys.join(',')}}`)).toEqual([]);
    expect(record(`{${keys.join(',')},"#":1,"#7":1,"##7":2,"7":3,"#":4}`).anomalies).toEqual([
      ['duplicate_key', '"7"'],
      ['duplicate_key', '"#"'],
    ]);
  });

  it('takes __proto__ and the empty key for keys like any other', () => {
    expect(kinds('{"__proto__":1,"":2,"constructor":3,"toString":4}')).toEqual([]);
    expect(kinds('{"__proto__":1,"":2,"__proto__":3,"":4}')).toEqual(['duplicate_key', 'duplicate_key']);
  });

  it('reports numbers that their double does not stand for, and NUL', () => {
    expect(kinds('[1e400,-1e400,1e-400,9007199254740993,1.5,"\\u0000"]')).toEqual([
      'number_overflow',
      'number_overflow',
      'number_underflow',
      'integer_inexact',
      'nul',
    ]);
  });

  it('reports each place where nesting passes the limit', () => {
    expect(kinds('[[1],[[2]],{"a":{"b":[]}}]', { maxDepth: 2 })).toEqual(['too_deep', 'too_deep']);
    expect(kinds('[[1],{}]', { maxDepth: 2 })).toEqual([]);
  });
});

describe('scanJson: size', () => {
  it('goes a million levels deep', () => {
    const depth = 1_000_000;
    let opened = 0;
    const ignore = (): void => undefined;
    const count = (): void => {
      opened++;
    };
    const visitor = { startObject: count, endObject: ignore, startArray: count, endArray: ignore, key: ignore, string: ignore };
    scanJson('['.repeat(depth) + ']'.repeat(depth), { ...visitor, number: ignore, literal: ignore, anomaly: ignore });
    scanJson('{"a":'.repeat(depth) + '1' + '}'.repeat(depth), { ...visitor, number: ignore, literal: ignore, anomaly: ignore });
    expect(opened).toBe(2 * depth);
    expect(syntaxError('['.repeat(depth)).position).toBe(depth);
  });

  it('walks over millions of digits, escapes and surrogates', () => {
    const million = 1_000_000;
    expect(kinds('9'.repeat(5 * million))).toEqual(['number_overflow']);
    expect(kinds(`0.${'9'.repeat(5 * million)}`)).toEqual([]);
    expect(kinds(`"${'\\u0041'.repeat(million)}${'\ud83d\ude00'.repeat(million)}"`)).toEqual([]);
  });

  it('takes tens of thousands of keys whose numbers share their low bits', () => {
    const keys = Array.from({ length: 60_000 }, (_, index) => `"${index * 65_536}":1`);
    expect(kinds(`{${keys.join(',')}}`)).toEqual([]);
  });
});

describe('unescapeString', () => {
  it.each(['""', '"abc"', '"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"a\\u00e9\\ud83d\\ude00\\ud800z"', '"\\\\u0041"', '"x\\u0000"'])(
    'decodes %s as JSON.parse does',
    (text) => {
      expect(unescapeString(`[${text}]`, 1, text.length + 1)).toBe(JSON.parse(text));
    },
  );

  it('looks at its span only, however long the text is', () => {
    const text = `[${'"ab",'.repeat(1_000_000)}"c"]`;
    let length = 0;
    const ignore = (): void => undefined;
    const visitor = { startObject: ignore, endObject: ignore, startArray: ignore, endArray: ignore, key: ignore, number: ignore };
    const string = (start: number, end: number): void => {
      length += unescapeString(text, start, end).length;
    };
    scanJson(text, { ...visitor, literal: ignore, string });
    expect(length).toBe(2_000_001);
  });

  it('keeps raw control characters beside escapes', () => {
    expect(unescapeString('"\u0000\\n\n\u001f\\u0001\ud800"', 0, 14)).toBe('\u0000\n\n\u001f\u0001\ud800');
  });

  it('stops at the end of the span, though a backslash follows', () => {
    expect(unescapeString('["abc","\\n"]', 1, 6)).toBe('abc');
    expect(unescapeString('["a\\tc","\\n"]', 1, 7)).toBe('a\tc');
  });
});
