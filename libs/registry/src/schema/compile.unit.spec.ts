import { canonicalText } from '@counterfoil/canonical';
import { compileSchema } from './compile.js';
import { SchemaError } from './schema-error.js';

/** JSON text that JavaScript has no literal for. */
class Raw {
  constructor(readonly json: string) {}
}

const raw = (json: string): Raw => new Raw(json);
const text = (value: unknown): string => (value instanceof Raw ? value.json : JSON.stringify(value));
const violation = (schema: unknown, args: unknown): string | null => compileSchema(text(schema))(canonicalText(text(args)));

function reasonOf(schema: unknown): string {
  try {
    compileSchema(text(schema));
  } catch (error) {
    if (error instanceof SchemaError) return error.reason;
    throw error;
  }
  return 'it was taken';
}

const WRITE = {
  type: 'object',
  properties: { path: { type: 'string', minLength: 1 }, content: { type: 'string' }, mode: { enum: ['w', 'a'] } },
  required: ['path', 'content'],
  additionalProperties: false,
};

describe('a compiled schema', () => {
  it('takes arguments that fit', () => {
    expect(violation(WRITE, { path: 'a', content: 'b' })).toBeNull();
    expect(violation(true, { anything: [1] })).toBeNull();
    expect(violation({}, 'text')).toBeNull();
  });

  it.each([
    [{ content: 'b' }, 'required at #/required, which misses "path"'],
    [{ path: '', content: 'b' }, 'minLength at #/properties/path/minLength'],
    [{ path: 1, content: 'b' }, 'type at #/properties/path/type'],
    [{ path: 'a', content: 'b', mode: 'x' }, 'enum at #/properties/mode/enum'],
    [[], 'type at #/type'],
  ])('says of %j where the schema is violated', (args, expected) => {
    expect(violation(WRITE, args)).toBe(expected);
  });

  it('names neither a value nor a key of the caller', () => {
    const schema = {
      properties: { known: { type: 'string', pattern: '^[a-z]+$' } },
      patternProperties: { '^x-': { type: 'number' } },
      propertyNames: { maxLength: 24 },
      additionalProperties: false,
    };
    for (const args of [
      { 'FAKE-key': 1 },
      { known: 'FAKE-value' },
      { 'x-FAKE': 'FAKE' },
      { ['FAKE'.repeat(20)]: 1 },
      { known: { FAKE: 'FAKE' } },
    ]) {
      expect(violation(schema, args)).toMatch(/^(?!.*FAKE).+ at #/);
    }
    for (const keyword of ['unevaluatedProperties', 'additionalProperties']) {
      expect(violation({ [keyword]: false }, { FAKE: 1 })).toBe(`${keyword} at #/${keyword}`);
    }
    expect(violation({ anyOf: [{ type: 'string' }, { required: ['a'] }] }, { FAKE: 1 })).toBe('anyOf at #/anyOf');
    expect(violation({ properties: { a: false } }, { a: 'FAKE' })).toBe('false schema at #/properties/a/false schema');
  });

  it('is bounded in what it says', () => {
    const name = 'ä'.repeat(900);
    expect(violation({ properties: { [name]: { type: 'string' } } }, { [name]: 1 })?.length).toBeLessThan(320);
    expect(violation({ required: [name] }, {})?.length).toBeLessThan(320);
  });

  it('understands 2020-12 where nothing is said, and draft-07 where that is', () => {
    const tuple = { prefixItems: [{ type: 'string' }], items: false };
    expect(violation(tuple, ['a', 1])).toMatch(/^(?:false schema|items) at #/);
    expect(violation({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...tuple }, ['a'])).toBeNull();
    const older = { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }], additionalItems: false };
    expect(violation(older, ['a', 1])).toBe('additionalItems at #/additionalItems');
    expect(violation({ $schema: older.$schema, dependencies: { a: ['b'] } }, { a: 1 })).toContain('which misses "b"');
  });

  it('follows references within itself, by path, by anchor and in circles', () => {
    const tree = {
      $ref: '#/$defs/node',
      $defs: {
        node: { type: 'object', properties: { left: { $ref: '#/$defs/node' }, right: { $ref: '#leaf' } } },
        leaf: { $anchor: 'leaf', type: 'number' },
      },
    };
    expect(violation(tree, { left: { left: {}, right: 1 } })).toBeNull();
    expect(violation(tree, { left: { left: { right: 'x' } } })).toBe('type at #/type');
    expect(violation({ type: 'object', properties: { child: { $ref: '#' } } }, { child: { child: 1 } })).toBe('type at #/type');
  });

  it('checks formats, and takes a format that nobody knows as a word', () => {
    const of = (format: string): unknown => ({ type: 'string', format });
    expect(violation(of('email'), 'not one')).toBe('format at #/format');
    expect(violation(of('date-time'), '2027-01-01T00:00:00Z')).toBeNull();
    expect(violation(of('uri'), 'https://example.test/a?b')).toBeNull();
    expect(violation(of('url'), 'no url')).toBe('format at #/format');
    expect(violation(of('byte'), 'QUJD')).toBeNull();
    expect(violation(of('byte'), 'QUJ')).toBe('format at #/format');
    expect(violation(of('byte'), 'QU-D')).toBe('format at #/format');
    expect(violation(of('byte'), 'QUJD'.repeat(100_000))).toBeNull();
    expect(violation(of('regex'), '(?<=a)b')).toBeNull();
    expect(violation(of('regex'), '(')).toBe('format at #/format');
    expect(violation({ type: 'integer', format: 'int32' }, 2 ** 31)).toBe('format at #/format');
    for (const name of ['password', 'binary', 'frobnicate', 'constructor', 'toString', '__proto__']) {
      expect([name, violation(of(name), 'x')]).toEqual([name, null]);
    }
    expect(violation(of('uri'), `https://example.test/${'a'.repeat(70_000)}`)).toBe('format at #/format');
  });

  it('compares by the canonical form', () => {
    expect(violation({ const: { a: 1, b: [2] } }, raw('{"b":[2.0],"a":1e0}'))).toBeNull();
    expect(violation({ const: 1 }, '1')).toBe('const at #/const');
    expect(violation({ enum: [{ valueOf: 1, constructor: 2 }] }, { constructor: 2, valueOf: 1 })).toBeNull();
    expect(violation({ enum: [{ a: 1 }] }, { valueOf: 1 })).toBe('enum at #/enum');
    expect(violation({ uniqueItems: true }, [{ a: 1, b: 2 }, 1, '1', { b: 2, a: 1 }])).toBe('uniqueItems at #/uniqueItems');
    expect(violation({ uniqueItems: true }, [{ a: 1 }, 1, '1', true, null])).toBeNull();
    expect(violation({ uniqueItems: false }, [1, 1])).toBeNull();
  });
});

describe('members that every object seems to have', () => {
  it('are there only if they were sent', () => {
    for (const name of ['toString', 'constructor', 'hasOwnProperty', '__proto__']) {
      expect([name, violation({ required: [name] }, {})]).toEqual([name, `required at #/required, which misses "${name}"`]);
      expect([name, violation({ required: [name] }, raw(`{"${name}":1}`))]).toEqual([name, null]);
    }
    expect(violation({ properties: { toString: { type: 'string' }, constructor: false } }, {})).toBeNull();
    expect(violation({ properties: { toString: { type: 'string' } } }, raw('{"toString":1}'))).toBe('type at #/properties/toString/type');
  });

  it('are members like others, and hide nothing', () => {
    expect(violation(WRITE, raw('{"content":"b","path":"a","__proto__":{"path":1}}'))).toBe(
      'additionalProperties at #/additionalProperties',
    );
    expect(violation(WRITE, raw('{"content":"b","__proto__":{"path":"a"}}'))).toBe('required at #/required, which misses "path"');
    expect(violation({ additionalProperties: { type: 'number' } }, raw('{"__proto__":"x"}'))).toBe('type at #/additionalProperties/type');
    expect(violation(WRITE, raw('{"content":"b","hasOwnProperty":1,"path":"a"}'))).toBe('additionalProperties at #/additionalProperties');
  });

  it('are not described, since Ajv would not look at them', () => {
    expect(reasonOf(raw('{"properties":{"__proto__":{"type":"string"}}}'))).toContain('__proto__');
    expect(reasonOf(raw('{"allOf":[{"dependentRequired":{"__proto__":["a"]}}]}'))).toContain('__proto__');
  });
});

describe('a schema that cannot be used', () => {
  it.each<[string, unknown, RegExp]>([
    ['no schema', { type: 'text' }, /no JSON Schema at #\/type/],
    ['a keyword of another kind', { properties: { a: { minLength: 'x' } } }, /no JSON Schema at #\/properties\/a\/minLength/],
    ['a property that is no schema', { properties: { a: 1 } }, /no JSON Schema at/],
    ['another dialect', { $schema: 'http://json-schema.org/draft-04/schema#' }, /\$schema/],
    ['a dialect that is no text', { $schema: 7 }, /\$schema/],
    ['a remote reference', { $ref: 'https://example.test/schema.json' }, /outside/],
    ['a reference to a file', { properties: { a: { $ref: 'other.json#/a' } } }, /outside/],
    ['a reference to the schema of schemas', { $ref: 'https://json-schema.org/draft/2020-12/schema' }, /outside/],
    ['a reference to nothing', { $ref: '#/$defs/none' }, /outside|not there/],
    ['a delayed check', { $async: true }, /\$async/],
    ['a delayed check within', { properties: { a: { $async: true, type: 'string' } } }, /\$async/],
    ['a delayed check behind a reference', { $ref: '#/elsewhere', elsewhere: { $async: true } }, /async/],
    ['a circle', { $ref: '#' }, /refers to itself/],
    ['a circle of two', { allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { anyOf: [{ $ref: '#' }] } } }, /refers to itself/],
    [
      'too many names in dependencies',
      { dependentRequired: { a: Array.from({ length: 201 }, (_, n) => `n${String(n)}`) } },
      /more than 200 dependencies/,
    ],
    ['a pattern with a reference', { pattern: '(a)\\1' }, /pattern.*references/],
    ['a pattern with a look ahead, in names', { patternProperties: { '^(?!a)': {} } }, /pattern.*lookaround/],
    ['a pattern that is none', { properties: { a: { pattern: '(' } } }, /pattern/],
    ['the keyword id', { id: 'x' }, /./],
    ['too many levels', JSON.parse('{"not":'.repeat(70) + 'true' + '}'.repeat(70)) as unknown, /64 levels/],
    ['too many levels of an instance', { default: JSON.parse('['.repeat(70) + ']'.repeat(70)) as unknown }, /64 levels/],
    ['too many parts', { allOf: Array.from({ length: 501 }, () => ({})) }, /500 schemas/],
    [
      'patterns too large together',
      { allOf: Array.from({ length: 30 }, (_, n) => ({ pattern: `^[a-z]{900}${n}$` })) },
      /too large together/,
    ],
    ['references that double thirty times', doubling(30), /refers to itself/],
  ])('is refused: %s', (_what, schema, reason) => {
    expect(reasonOf(schema)).toMatch(reason);
    expect(reasonOf(schema)).not.toBe('it was taken');
  });

  it('shares nothing with other schemas: neither an id nor what it defines', () => {
    const first = { $id: 'https://example.test/one', $defs: { a: { type: 'string' } } };
    expect(reasonOf(first)).toBe('it was taken');
    expect(reasonOf(first)).toBe('it was taken');
    expect(reasonOf({ $ref: 'https://example.test/one#/$defs/a' })).toMatch(/outside/);
  });

  it('brings no code of its own', () => {
    const hostile = `"}});globalThis.FAKE_RAN=true;({a:{"`;
    const schema = {
      $id: 'https://example.test/"+globalThis.FAKE_RAN+"',
      $comment: hostile,
      title: hostile,
      format: hostile,
      pattern: '[");globalThis.FAKE_RAN=true;("]',
      properties: { [hostile]: { const: hostile }, ['`${globalThis.FAKE_RAN=true}`']: { enum: [hostile] } },
      required: [hostile],
      dependentRequired: { [hostile]: [hostile] },
      $defs: { [hostile]: {} },
      'x-code': { $code: hostile, instanceof: 'Function', transform: ['trim'] },
    };
    expect(reasonOf(schema)).toBe('it was taken');
    expect(violation(schema, { [hostile]: hostile })).toBeNull();
    expect(violation(schema, { [hostile]: 1 })).toMatch(/^const at /);
    expect('FAKE_RAN' in globalThis).toBe(false);
  });
});

/** Each definition holds the next one twice: what is small as a text is large as a check. */
function doubling(times: number): unknown {
  const $defs = Object.fromEntries(
    Array.from({ length: times }, (_, n) => [`d${n}`, { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] }]),
  );
  return { $ref: '#/$defs/d0', $defs: { ...$defs, [`d${times}`]: { type: 'string' } } };
}

describe('what an agent sends', () => {
  const nested = (depth: number, leaf: unknown): unknown => {
    let value = leaf;
    for (let level = 0; level < depth; level++) value = { child: value, kind: 'c' };
    return value;
  };

  it('cannot make a schema of two shapes look at the same thing over and over', () => {
    const schema = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          oneOf: [
            { type: 'object', properties: { child: { $ref: '#/$defs/node' }, kind: { const: 'a' } }, required: ['kind'] },
            { type: 'object', properties: { child: { $ref: '#/$defs/node' }, kind: { const: 'b' } }, required: ['kind'] },
            { type: 'null' },
          ],
        },
      },
    };
    const check = compileSchema(text(schema));
    expect(check(canonicalText(text({ kind: 'a', child: { kind: 'b', child: null } })))).toBeNull();
    expect(check(canonicalText(text(nested(200, null))))).toBe('the arguments are too large to be checked against the schema');
    // The next ones are checked as before.
    expect(check(canonicalText(text({ kind: 'a', child: null })))).toBeNull();
  });

  it('cannot make a pattern go back and try again', () => {
    const schema = { type: 'object', properties: { to: { pattern: '\\S+@\\S+\\.\\S+' }, words: { pattern: '^(\\w+\\s?)*$' } } };
    const check = compileSchema(text(schema));
    expect(check(text({ to: 'a@'.repeat(200_000) }))).toBe('pattern at #/properties/to/pattern');
    expect(check(text({ words: `${'a'.repeat(400_000)}!` }))).toBe('pattern at #/properties/words/pattern');
  });

  it('cannot make elements be compared with each other', () => {
    const items = Array.from({ length: 100_000 }, (_, n) => ({ n }));
    expect(violation({ uniqueItems: true }, items)).toBeNull();
    expect(violation({ uniqueItems: true }, [...items, { n: 5 }])).toBe('uniqueItems at #/uniqueItems');
  });

  it('may be as large and as deep as arguments may be', () => {
    expect(violation(WRITE, { path: 'a', content: 'x'.repeat(4_000_000) })).toBeNull();
    expect(violation({ type: 'object', properties: { child: { $ref: '#' } } }, nested(255, {}))).toBeNull();
  });
});
