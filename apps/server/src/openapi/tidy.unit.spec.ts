import { tidySchema } from './tidy.js';

const NULL = { type: 'string', nullable: true, enum: [null] };
const REF = { $ref: '#/components/schemas/A' };

it.each([
  ['a reference alone', { allOf: [REF] }, REF],
  ['a reference that may be null', { nullable: true, allOf: [REF] }, { anyOf: [REF, NULL] }],
  ['several that must hold, or null', { nullable: true, allOf: [REF, REF] }, { anyOf: [{ allOf: [REF, REF] }, NULL] }],
  ['one of several, or null', { nullable: true, oneOf: [REF, REF] }, { oneOf: [REF, REF, NULL] }],
  ['any of several, or null', { nullable: true, anyOf: [REF, REF] }, { anyOf: [REF, REF, NULL] }],
  ['a list of values with null', { nullable: true, type: 'string', enum: ['a'] }, { nullable: true, type: 'string', enum: ['a', null] }],
  ['null alone', NULL, NULL],
  ['a positive integer', { type: 'integer', minimum: 0, exclusiveMinimum: true }, { type: 'integer', minimum: 1 }],
  ['any integer', { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }, { type: 'integer' }],
  ['integers of a range', { type: 'integer', minimum: 0, maximum: 9 }, { type: 'integer', minimum: 0, maximum: 9 }],
  ['what OpenAPI 3.0 lacks', { $id: 'a', $schema: 'b', propertyNames: {}, type: 'object' }, { type: 'object' }],
  ['a property that is called like a keyword', { properties: { $id: {}, nullable: {} } }, { properties: { $id: {}, nullable: {} } }],
  ['what stands inside', { items: { properties: { a: { allOf: [REF] } } } }, { items: { properties: { a: REF } } }],
])('%s', (_what, given, expected) => {
  expect(tidySchema(given)).toEqual(expected);
});
