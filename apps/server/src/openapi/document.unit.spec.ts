import { z } from 'zod';
import { ROUTE_ROLES } from '../http/route-roles.js';
import { describeApi } from './document.js';
import { answered, named, TAGS, type RouteEntry } from './route-entry.js';
import { ROUTE_ENTRIES } from './routes/index.js';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Fields = Record<string, Json>;

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly description: string;
  readonly security: readonly object[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean; readonly schema: Json }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content: Readonly<Record<string, { readonly schema: Json }>> }>
  >;
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

const api = JSON.parse(JSON.stringify(describeApi(ROUTE_ENTRIES, '1.0.0'))) as Document;
const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
);

/** Keywords of a Schema Object (OpenAPI 3.0.3) that we use. */
const KEYWORDS = new Set(
  'type properties required additionalProperties items minItems maxItems enum nullable anyOf oneOf allOf pattern format minLength maxLength minimum maximum description default'.split(
    ' ',
  ),
);

/** Everything that is wrong with a schema, with the place. */
function faultsOf(schema: Json | undefined, at: string): string[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [`${at} is no schema`];
  if ('$ref' in schema) {
    const name = typeof schema['$ref'] === 'string' ? schema['$ref'].replace(/^#\/components\/schemas\//, '') : '';
    const isKnown = Object.hasOwn(api.components.schemas, name) && Object.keys(schema).length === 1;
    return isKnown ? [] : [`${at} refers to ${JSON.stringify(schema)}`];
  }
  const faults = Object.keys(schema).flatMap((key) => (KEYWORDS.has(key) ? [] : [`${at} has ${key}`]));
  if ('type' in schema && !['string', 'integer', 'number', 'boolean', 'object', 'array'].includes(schema['type'] as string))
    faults.push(`${at} has a type of its own`);
  if (schema['type'] === 'array' && !('items' in schema)) faults.push(`${at} has no items`);
  if ('nullable' in schema && !('type' in schema)) faults.push(`${at} is nullable without a type`);
  const { properties, items, additionalProperties } = schema;
  for (const [key, value] of Object.entries((properties ?? {}) as Fields)) faults.push(...faultsOf(value, `${at}.${key}`));
  if (items !== undefined) faults.push(...faultsOf(items, `${at}[]`));
  if (typeof additionalProperties === 'object') faults.push(...faultsOf(additionalProperties, `${at}.*`));
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const alternatives = schema[key];
    if (Array.isArray(alternatives)) faults.push(...alternatives.flatMap((one, n) => faultsOf(one, `${at}/${key}/${String(n)}`)));
  }
  return faults;
}

it('is OpenAPI 3.0.3 with every component a schema of that version', () => {
  expect(api.openapi).toBe('3.0.3');
  expect(Object.entries(api.components.schemas).flatMap(([name, schema]) => faultsOf(schema, name))).toEqual([]);
});

it('describes the routes of the table, each once', () => {
  const described = ROUTE_ENTRIES.map(({ route }) => route);
  expect(described.toSorted()).toEqual(Object.keys(ROUTE_ROLES).toSorted());
  expect(operations).toHaveLength(described.length);
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

describe.each(operations)('$name', ({ path, operation }) => {
  it('has a known tag, its roles, and the parameters of its path', () => {
    expect(operation.tags.every((tag) => Object.hasOwn(TAGS, tag))).toBe(true);
    const names = operation.parameters.filter((one) => one.in === 'path' && one.required).map(({ name }) => name);
    expect(names).toEqual([...path.matchAll(/\{([a-z]+)\}/g)].map(([, name]) => name));
    expect(operation.security.length > 0).toBe(!operation.description.includes('Needs no key.'));
  });

  it('has schemas that are ones, and an answer for success and for faults', () => {
    const contents = [operation.requestBody, ...Object.values(operation.responses)].flatMap((one) => Object.values(one?.content ?? {}));
    const schemas = [...contents, ...operation.parameters].map(({ schema }) => schema);
    expect(schemas.flatMap((schema) => faultsOf(schema, path))).toEqual([]);
    const statuses = Object.keys(operation.responses);
    expect(statuses).toContain('500');
    expect(statuses.some((status) => status.startsWith('2'))).toBe(true);
    for (const { description } of Object.values(operation.responses)) expect(description).not.toBe('');
  });
});

it('says plainly that receipts do not complete tasks, wherever receipts are described', () => {
  const about = [
    api.info.description,
    api.tags.find(({ name }) => name === 'receipts')?.description,
    ...operations.filter(({ path }) => path.startsWith('/v1/receipts')).map(({ operation }) => operation.description),
  ];
  expect(about).toHaveLength(4);
  for (const text of about) expect(text).toMatch(/receipts do not complete tasks/i);
});

it('free members are any JSON, and the text of a model is a string', () => {
  const { properties } = api.components.schemas['RequestToolCallBody'] as { properties: Fields };
  expect(properties['arguments']).toEqual({ description: expect.any(String) as string });
  expect(properties['argumentsJson']).toMatchObject({ type: 'string' });
});

it('a body takes nothing unknown; an answer may have more members later', () => {
  expect(api.components.schemas['GrantBody']).toMatchObject({ additionalProperties: false });
  expect(api.components.schemas['Receipt']).not.toHaveProperty('additionalProperties');
});

describe('a table that says two things', () => {
  const entry = (id: string, more: Partial<RouteEntry>): RouteEntry => ({
    route: `GET /${id}`,
    id,
    tag: 'operations',
    summary: id,
    answers: answered('It.', named(id, z.object({}))),
    ...more,
  });

  it.each([
    [
      'one name for two schemas',
      [entry('a', {}), entry('b', { answers: answered('It.', named('a', z.object({}))) })],
      'two schemas are named a',
    ],
    ['one name for a body and an answer', [entry('a', { body: named('a', z.strictObject({})) })], 'a body and an answer are named a'],
  ])('%s is refused', (_what, entries, message) => {
    expect(() => describeApi(entries, '1')).toThrow(message);
  });

  it('two names for one schema are refused', () => {
    const schema = z.object({});
    const entries = [
      entry('a', { answers: answered('It.', named('a', schema)) }),
      entry('b', { answers: answered('It.', named('b', schema)) }),
    ];
    expect(() => describeApi(entries, '1')).toThrow('one schema is named a and b');
  });
});
