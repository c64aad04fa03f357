import { eventHash } from '@counterfoil/canonical';
import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import type { NewEvent } from '@counterfoil/contracts';
import { newEvent, textEvent } from '@counterfoil/testing';
import { z } from 'zod';
import { InvalidEventError } from './errors.js';
import { sameShape, withoutProtoKeys } from './same-shape.js';
import { prepareAppend, sealEvent } from './sealing.js';
import type { EventSchemas, PreparedEvent } from './sealing.js';
import { UpcastingRegistry } from './upcasting/registry.js';
import { LEDGER_STEPS } from './upcasting/steps/index.js';

const registry = new UpcastingRegistry({ types: { ...CURRENT_VERSIONS, Free: 1 }, steps: LEDGER_STEPS });

function prepared(event: NewEvent, schemas?: EventSchemas): PreparedEvent {
  const rules = schemas === undefined ? { registry } : { registry, schemas };
  const [one] = prepareAppend({ stream: 'session-w/s', expected: 'no_stream', events: [event] }, rules).events;
  if (one === undefined) throw new Error('no event was prepared');
  return one;
}

function free(data: unknown): NewEvent {
  return { ...textEvent(''), type: 'Free', version: 1, data };
}

describe('sealing', () => {
  const event = textEvent('text');

  it('hashes everything that is stored but the hash: the same as from the parts by themselves', () => {
    for (const prev of [null, 'ab'.repeat(32)]) {
      const sealed = sealEvent(prepared(event), 'session-w/s', 12n, prev);
      const { id, type, version, data } = event;
      const metadata = { ...event.metadata, integrity: { prev } };
      expect(sealed.hash).toBe(eventHash({ stream: 'session-w/s', revision: '12', id, type, version, data, metadata }));
      expect(JSON.parse(sealed.metadataText)).toEqual(metadata);
      expect(JSON.parse(sealed.dataText)).toEqual(data);
      expect(sealed.metadata).toEqual({ ...event.metadata, integrity: { prev, hash: sealed.hash } });
    }
  });

  it('gives another hash for another stream, revision, link, id, data or actor', () => {
    const actor = { ...event.metadata, actor: { principal: 'agent:other', keyId: 'key1' } };
    const hashes = [
      sealEvent(prepared(event), 'a', 0n, null),
      sealEvent(prepared(event), 'b', 0n, null),
      sealEvent(prepared(event), 'a', 1n, null),
      sealEvent(prepared(event), 'a', 0n, '0'.repeat(64)),
      sealEvent(prepared({ ...event, id: textEvent('').id }), 'a', 0n, null),
      sealEvent(prepared({ ...event, data: textEvent('other').data }), 'a', 0n, null),
      sealEvent(prepared({ ...event, metadata: actor }), 'a', 0n, null),
    ].map((sealed) => sealed.hash);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('is not led astray by a metadata value that looks like the link, or like a pattern', () => {
    const odd = `"integrity":{"prev":"${'0'.repeat(64)}"} $& $1`;
    const sealed = sealEvent(prepared(textEvent('', { correlationId: odd })), 'a', 1n, 'cd'.repeat(32));
    expect(JSON.parse(sealed.metadataText)).toMatchObject({ correlationId: odd, integrity: { prev: 'cd'.repeat(32) } });
  });
});

describe('preparing', () => {
  const schemas = {
    Free: z.object({ record: z.record(z.string(), z.int()).optional(), n: z.number().optional(), trimmed: z.string().trim().optional() }),
  };

  it('gives data that is equal to what a later read gives', () => {
    const one = prepared(free({ n: -0, record: { b: 1, a: 2 } }), schemas);
    expect(one.parts[0]?.data).toEqual(JSON.parse(one.dataText));
    expect(Object.is((one.parts[0]?.data as { n: number }).n, 0)).toBe(true);
  });

  it('checks a value under the key __proto__ of a record like any other', () => {
    const good = prepared(free({ record: JSON.parse('{"__proto__":7}') as unknown }), schemas);
    expect(good.dataText).toBe('{"record":{"__proto__":7}}');
    expect(Object.entries((good.parts[0]?.data as { record: object }).record)).toEqual([['__proto__', 7]]);
    expect(() => prepared(free({ record: JSON.parse('{"__proto__":"x"}') as unknown }), schemas)).toThrow(InvalidEventError);
  });

  it('refuses a schema that would change what was decided', () => {
    expect(() => prepared(free({ trimmed: ' x ' }), schemas)).toThrow('the data holds what its schema does not');
  });

  it('names where the schema refuses, with no value and no key from outside in the error', () => {
    expect(() => prepared(free({ record: { 'FAKE key': 'FAKE value' } }), schemas)).toThrow(/at \/record\/… \(invalid_type\)/);
  });

  it('refuses what can not be read again', () => {
    const poison = new UpcastingRegistry({
      types: CURRENT_VERSIONS,
      steps: [...LEDGER_STEPS, { type: 'SessionOpened', from: 2, into: [{ type: 'SessionClosed', version: 1 }], up: () => [] }],
    });
    const opened = newEvent({
      type: 'SessionOpened',
      data: { workspaceId: 'w', sessionId: 's', userId: 'u', agent: null, parent: null, rootSessionId: 's', fingerprintKeyId: 'k1' },
    });
    expect(() => prepareAppend({ stream: 's', expected: 'no_stream', events: [opened] }, { registry: poison })).toThrow(
      /could not be read again/,
    );
  });
});

describe('sameShape', () => {
  it.each<[unknown, unknown, boolean]>([
    [{ a: [1, { b: null }] }, { a: [1, { b: null }] }, true],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1, b: 2 }, { a: 1 }, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1 }, { b: 1 }, false],
    [{ constructor: 1 }, {}, false],
    [{ a: [1, 2] }, { a: [1] }, false],
    [{ a: [] }, { a: {} }, false],
    [{ a: {} }, { a: [] }, false],
    [{ a: 1 }, { a: '1' }, false],
    [null, {}, false],
    [-0, -0, false],
  ])('%p and %p', (input, parsed, same) => {
    expect(sameShape(input, parsed)).toBe(same);
  });

  it('renames __proto__ at any depth and leaves the rest alone', () => {
    const value: unknown = JSON.parse('{"a":[{"__proto__":{"__proto__":1}}],"b":"__proto__"}');
    expect(withoutProtoKeys(value, 'x')).toEqual({ a: [{ x: { x: 1 } }], b: '__proto__' });
  });
});
