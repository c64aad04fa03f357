import { directoryAfter, registering, registeringSchema, specAfter, TOOL } from '@counterfoil/testing';
import { SchemaError } from './schema-error.js';
import { ToolSchemas } from './tool-schemas.js';

const SCHEMA = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'], additionalProperties: false };
const specOf = (n: number) => specAfter(registeringSchema({ ...SCHEMA, title: `schema ${n}` }));

describe('a registered tool', () => {
  it('says where arguments violate its schema, and null where they do not', () => {
    const tool = directoryAfter(registeringSchema(SCHEMA)).find(TOOL.source, TOOL.name);
    expect(tool?.violation('{"path":"a"}')).toBeNull();
    expect(tool?.violation('{"path":1}')).toBe('type at #/properties/path/type');
    expect(tool?.violation('{"FAKE":1,"path":"a"}')).toBe('additionalProperties at #/additionalProperties');
  });

  it('takes anything where it has no schema, or one that says so', () => {
    for (const command of [registering(), registeringSchema(true), registeringSchema({})]) {
      expect(directoryAfter(command).find(TOOL.source, TOOL.name)?.violation('[1,{"a":"b"}]')).toBeNull();
    }
    expect(directoryAfter(registeringSchema(false)).find(TOOL.source, TOOL.name)?.violation('{}')).toMatch(/^false schema/);
  });
});

describe('the checks of schemas', () => {
  it('are made once for each spec', () => {
    const schemas = new ToolSchemas();
    const spec = specOf(1);
    expect(schemas.compile(spec)).toBe(schemas.compile(structuredClone(spec)));
    expect(schemas.compile(specOf(2))).not.toBe(schemas.compile(spec));
  });

  it('are kept while there is room, and made again after that: those that are used stay', () => {
    for (const schemas of [new ToolSchemas(undefined, 3), new ToolSchemas(3 * (specOf(1).inputSchema?.json.length ?? 0))]) {
      const first = schemas.compile(specOf(1));
      const second = schemas.compile(specOf(2));
      for (const n of [3, 4]) {
        schemas.compile(specOf(n));
        expect(schemas.compile(specOf(1))).toBe(first);
      }
      expect(schemas.compile(specOf(2))).not.toBe(second);
      expect(schemas.violation(specOf(2), '{}')).toBe('required at #/required, which misses "path"');
    }
  });

  it('keep even one that takes more than all the room', () => {
    const schemas = new ToolSchemas(1, 1);
    expect(schemas.compile(specOf(1))).toBe(schemas.compile(specOf(1)));
  });

  it('let nothing through a schema that another version took and this one cannot use', () => {
    const spec = specOf(1);
    const inputSchema = spec.inputSchema && { ...spec.inputSchema, json: '{"$ref":"https://example.test/other"}' };
    const schemas = new ToolSchemas();
    const unusable = { ...spec, inputSchema };
    expect(schemas.violation(unusable, '{"path":"a"}')).toMatch(/cannot be used/);
    expect(schemas.violation(unusable, '{"path":"a"}')).toMatch(/cannot be used/);
    for (const each of [schemas, new ToolSchemas()]) expect(() => each.compile(unusable)).toThrow(SchemaError);
  });
});
