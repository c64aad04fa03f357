import { codeOf, givenRegistry, registeringSchema, registryContext, specAfter } from '@counterfoil/testing';
import { decideRegistry } from '../decide.js';
import { initialRegistry } from '../state.js';

const GITHUB = 'ghp_FAKE567890abcdefghijklmnopqrstuvwxyz';

const refusalOf = (schema: unknown): string | null =>
  codeOf(() => decideRegistry(initialRegistry(), registeringSchema(schema), registryContext()));

describe('a schema that only speaks of secrets', () => {
  it.each<[string, unknown]>([
    [
      'properties',
      { properties: { password: { type: 'string', minLength: 8 }, api_key: { type: 'string', description: 'Your API key' } } },
    ],
    ['lists of names', { required: ['password', 'token'], dependentRequired: { password: ['username'], token: ['secret', 'api_key'] } }],
    ['definitions', { $defs: { token: { type: 'string' }, credentials: { type: 'object', properties: { secret: { type: 'string' } } } } }],
    ['definitions of old', { $schema: 'http://json-schema.org/draft-07/schema#', definitions: { password: { minLength: 1 } } }],
    ['patterns of names', { patternProperties: { '^.*_token$': { type: 'string' }, '^password$': { type: 'string' } } }],
    ['conditions', { if: { required: ['token'] }, then: { properties: { token: { minLength: 1 } } }, else: { required: ['password'] } }],
    ['options', { properties: { token: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, oneOf: [{ required: ['api_key'] }] }],
    ['choices', { properties: { authorization: { enum: ['none', 'basic', 'bearer'] }, cookie: { enum: ['keep', 'clear'] } } }],
    [
      'empty values',
      { properties: { password: { default: '' }, token: { default: null, examples: ['<your token>', '$TOKEN', '${TOKEN}'] } } },
    ],
    ['words about them', { description: 'Needs a token. The password must be set; send it as Authorization: Bearer <token>.' }],
    ['a pattern of them', { properties: { key: { type: 'string', pattern: '^ghp_[A-Za-z0-9]{36}$' } } }],
    ['numbers', { properties: { max_tokens: { type: 'integer', default: 4096 }, token_count: { examples: [1500] } } }],
    ['a format', { properties: { secret: { type: 'string', format: 'password', title: 'Secret' } } }],
  ])('is registered as it is: %s', (_what, schema) => {
    const { inputSchema } = specAfter(registeringSchema(schema));
    expect(inputSchema).toMatchObject({ json: JSON.stringify(schema), redactions: [], state: 'whole' });
  });
});

describe('a schema that holds a secret', () => {
  it.each<[string, unknown]>([
    ['a default', { properties: { key: { default: GITHUB } } }],
    ['a constant', { properties: { a: { items: { const: `Bearer FAKE567890abcdefghijklmnop` } } } }],
    ['a choice', { properties: { a: { enum: ['x', GITHUB] } } }],
    ['an example', { examples: [{ url: 'https://user:FAKE-pass-1@example.test/x' }] }],
    ['a description', { description: `For instance ${GITHUB}.` }],
    ['a description with an assignment', { properties: { a: { description: 'use password=FAKE-pass-1234 here' } } }],
    ['JSON in a description', { description: '{"password":"FAKE-pass-1234"}' }],
    ['a comment', { $comment: 'AKIAFAKE567890ABCDEF' }],
    ['the name of a property', { properties: { [GITHUB]: {} } }],
    ['a word that is required', { required: [GITHUB] }],
    ['a pattern', { properties: { a: { pattern: `^${GITHUB}$` } } }],
    ['an id', { $id: 'https://user:FAKE-pass-1@example.test/schema' }],
    ['the default of a password', { properties: { password: { type: 'string', default: 'FAKE hunter' } } }],
    ['the default of a token, as a number', { properties: { token: { default: 12345678 } } }],
    ['an example of a password', { properties: { db_password: { examples: ['FAKE-hunter'] } } }],
    ['the constant of a secret, in an option', { properties: { client_secret: { anyOf: [{ const: 'FAKE-hunter' }, { type: 'null' }] } } }],
    ['the default of a secret that is defined', { $defs: { api_key: { default: 'FAKE-hunter' } } }],
    ['a default with a password in it', { default: { user: 'a', password: 'FAKE-hunter' } }],
    ['a default in a list', { properties: { env: { default: [{ name: 'TOKEN', value: 'FAKE-hunter-1' }] } } }],
    ['a keyword of its own', { 'x-defaults': { password: 'FAKE-hunter' } }],
    ['a keyword of its own that is named like one', { password: 'FAKE-hunter' }],
    ['the default of a property named __proto__', JSON.parse('{"$defs":{"__proto__":{"default":{"password":"FAKE-hunter"}}}}')],
    ['two halves', { description: 'AKIAFAKE567890ABCDEF', $comment: 'FAKEwJalrXUtnFEMI/K7MDENG/bPxRfiCYFAKEKEY' }],
  ])('is refused: %s', (_what, schema) => {
    expect(refusalOf(schema)).toBe('tool_schema_secret');
  });

  it('is refused without repeating it', () => {
    const given = givenRegistry().when(registeringSchema({ default: GITHUB }));
    given.thenRefused('tool_schema_secret');
    let text = '';
    try {
      decideRegistry(initialRegistry(), registeringSchema({ default: { password: 'FAKE-hunter' } }), registryContext());
    } catch (error) {
      text = `${String(error)} ${JSON.stringify(error)}`;
    }
    expect(text).toContain('tool_schema_secret');
    expect(text).not.toContain('FAKE');
  });

  it('however many words stand around it', () => {
    const many = Object.fromEntries(
      Array.from({ length: 400 }, (_, n) => [`property_${n}`, { type: 'string', description: `The value of number ${n}` }]),
    );
    expect(refusalOf({ properties: many })).toBeNull();
    expect(refusalOf({ properties: { ...many, last: { default: GITHUB } } })).toBe('tool_schema_secret');
  });
});
