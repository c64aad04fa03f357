import type { StoredEvent } from '@counterfoil/contracts';
import { BrokenUpcastChainError, UpcastError } from '../errors.js';
import { UpcastingRegistry } from './registry.js';
import type { TranslateStep, UpcastEvent, UpcastStep, VersionStep } from './upcast-step.js';

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

function stored(type: string, version: unknown, data: unknown = { a: 1 }): StoredEvent {
  const metadata = {
    recordedAt: '2027-01-01T00:00:00Z',
    occurredAt: null,
    actor: { principal: 'agent:tester', keyId: 'k' },
    correlationId: null,
    causationId: null,
    traceparent: null,
    integrity: { prev: null, hash: 'h' },
  };
  return deepFreeze({ stream: 'session-w/s', revision: 7n, position: 42n, id: 'id-1', type, version, data, metadata });
}

/** A step to the next version that notes its way in the data. */
function bump(type: string, from: number, to = from + 1): VersionStep {
  return { type, from, to, up: (event) => [noted(event, type, to)] };
}

function noted(event: UpcastEvent, type: string, version: number): UpcastEvent {
  const data = event.data as { readonly way?: string };
  return { type, version, data: { ...data, way: `${data.way ?? ''}${type}${version} ` } };
}

const split: TranslateStep = {
  type: 'Old',
  from: 1,
  into: [
    { type: 'Call', version: 1 },
    { type: 'Result', version: 1 },
  ],
  up: (event) => [noted(event, 'Call', 1), noted(event, 'Result', 1)],
};

function registryOf(types: Record<string, number>, ...steps: UpcastStep[]): UpcastingRegistry {
  return new UpcastingRegistry({ types, steps });
}

function wayOf(registry: UpcastingRegistry, event: StoredEvent): unknown[] {
  return registry.read(event).map(({ type, version, data }) => [type, version, (data as { way?: string }).way ?? '']);
}

describe('a registry', () => {
  it.each<[string, Record<string, number>, UpcastStep[]]>([
    ['no step at all', { A: 2 }, []],
    ['a missing step in the middle', { A: 4 }, [bump('A', 1), bump('A', 3)]],
    ['a missing step that another jumps over', { A: 3 }, [bump('A', 1, 3)]],
    ['two steps from one version', { A: 2 }, [bump('A', 1), bump('A', 1)]],
    ['a step from an unknown type', { A: 1 }, [bump('B', 1)]],
    ['a step from a version that does not exist', { A: 2 }, [bump('A', 1), bump('A', 2)]],
    ['a step from a version 0', { A: 2 }, [bump('A', 0), bump('A', 1)]],
    ['a step that stays', { A: 2 }, [bump('A', 1, 1)]],
    ['a step to a version that does not exist', { A: 2 }, [bump('A', 1, 3)]],
    ['a step to an unknown type', { A: 2 }, [{ ...bump('A', 1), also: [{ type: 'B', version: 1 }] }]],
    ['a step to half a version', { A: 2, B: 2 }, [{ ...bump('A', 1), also: [{ type: 'B', version: 1.5 }] }, bump('B', 1)]],
    ['a translation to an unknown type', { Old: 1, Call: 1 }, [split]],
    ['a translation of an earlier version', { Old: 2, Call: 1, Result: 1 }, [split]],
    ['a translation into nothing', { Old: 1 }, [{ ...split, into: [] }]],
    ['a type with no current version', { A: 0 }, []],
    ['a type that leads to itself', { Old: 1 }, [{ ...split, into: [{ type: 'Old', version: 1 }] }]],
    [
      'a circle through two types',
      { A: 1, B: 1 },
      [
        { ...split, type: 'A', into: [{ type: 'B', version: 1 }] },
        { ...split, type: 'B', into: [{ type: 'A', version: 1 }] },
      ],
    ],
  ])('refuses to be made of %s', (_what, types, steps) => {
    expect(() => new UpcastingRegistry({ types, steps })).toThrow(BrokenUpcastChainError);
  });

  it('takes two ways that meet again: that is no circle', () => {
    const registry = registryOf(
      { Old: 1, Call: 1, Result: 1, Last: 1 },
      split,
      { ...split, type: 'Call', into: [{ type: 'Last', version: 1 }], up: (event) => [noted(event, 'Last', 1)] },
      { ...split, type: 'Result', into: [{ type: 'Last', version: 1 }], up: (event) => [noted(event, 'Last', 1)] },
    );
    expect(wayOf(registry, stored('Old', 1))).toEqual([
      ['Last', 1, 'Call1 Last1 '],
      ['Last', 1, 'Result1 Last1 '],
    ]);
  });

  it('takes a chain of ten thousand versions', () => {
    const steps = Array.from({ length: 9999 }, (_, index) => bump('A', index + 1));
    const [event] = new UpcastingRegistry({
      types: { A: 10000 },
      steps: steps.map((step) => ({ ...step, up: () => [{ type: 'A', version: step.to, data: 1 }] })),
    }).read(stored('A', 1));
    expect(event?.version).toBe(10000);
  });
});

describe('reading', () => {
  const registry = registryOf({ A: 3, Old: 1, Call: 2, Result: 1 }, bump('A', 1), bump('A', 2), split, bump('Call', 1));

  it('leaves an event of the current version as it is, with fields that nobody knows', () => {
    const event = stored('A', 3, { unknown: { kept: [1, 2] } });
    const { stream, revision, position, id, type, data, metadata } = event;
    expect(registry.read(event)).toEqual([{ stream, revision, position, id, type, version: 3, data, metadata, part: 0, parts: 1 }]);
  });

  it('takes every step in order, and only those that are left', () => {
    expect(wayOf(registry, stored('A', 1))).toEqual([['A', 3, 'A2 A3 ']]);
    expect(wayOf(registry, stored('A', 2))).toEqual([['A', 3, 'A3 ']]);
  });

  it('makes several events of one, each brought on from its own version, in order', () => {
    expect(wayOf(registry, stored('Old', 1))).toEqual([
      ['Call', 2, 'Call1 Call2 '],
      ['Result', 1, 'Result1 '],
    ]);
    expect(registry.read(stored('Old', 1)).map(({ part, parts, revision, position, id }) => [part, parts, revision, position, id])).toEqual(
      [
        [0, 2, 7n, 42n, 'id-1'],
        [1, 2, 7n, 42n, 'id-1'],
      ],
    );
  });

  it('follows a step that leads from one version into several events', () => {
    const forked: VersionStep = {
      ...bump('A', 1),
      also: [{ type: 'B', version: 1 }],
      up: (event) => [noted(event, 'B', 1), noted(event, 'A', 2), noted(event, 'B', 1)],
    };
    expect(wayOf(registryOf({ A: 3, B: 2 }, forked, bump('A', 2), bump('B', 1)), stored('A', 1))).toEqual([
      ['B', 2, 'B1 B2 '],
      ['A', 3, 'A2 A3 '],
      ['B', 2, 'B1 B2 '],
    ]);
  });

  it.each([[undefined], [null], [''], ['0'], [0], [0n], ['1'], [1n], ['01']])('takes a stored version %p as the oldest', (version) => {
    expect(wayOf(registry, stored('A', version))).toEqual([['A', 3, 'A2 A3 ']]);
  });

  it('takes a version in text', () => {
    expect(wayOf(registry, stored('A', '2'))).toEqual([['A', 3, 'A3 ']]);
    expect(wayOf(registry, stored('A', 3n))).toEqual([['A', 3, '']]);
  });

  it.each([[4], ['4'], [1.5], [-1], [NaN], [Infinity], ['1.0'], ['one'], [true], [{}], [[1]], ['99999999999999999999'], [' ']])(
    'refuses a stored version %p',
    (version) => {
      expect(() => registry.read(stored('A', version))).toThrow(UpcastError);
    },
  );

  it('names stream, revision, type and version in every error, and no data', () => {
    const failing = registryOf({ A: 3 }, bump('A', 2), {
      ...bump('A', 1),
      up: () => {
        throw new TypeError('no member of FAKE-secret');
      },
    });
    for (const event of [stored('A', 1, 'FAKE-secret'), stored('A', 9, 'FAKE-secret'), stored('Nothing', 2, 'FAKE-secret')]) {
      expect(() => failing.read(event)).toThrow(UpcastError);
      expect(() => failing.read(event)).toThrow(/session-w\/s.*revision 7.*(A|Nothing).*version [129]/s);
      expect(() => failing.read(event)).not.toThrow(/FAKE/);
    }
  });

  it.each<[string, VersionStep['up']]>([
    ['no event', () => []],
    ['an event of another type', (event) => [{ ...event, type: 'B', version: 1 }]],
    ['an event of another version', (event) => [{ ...event, version: 3 }]],
    ['the event unchanged', (event) => [event]],
  ])('refuses a step that gives %s', (_what, up) => {
    const wrong = registryOf({ A: 3, B: 1 }, { ...bump('A', 1), up }, bump('A', 2));
    expect(() => wrong.read(stored('A', 1))).toThrow(UpcastError);
  });

  it('hands a step the stream, the id and the metadata', () => {
    const seen: unknown[] = [];
    const step: VersionStep = {
      ...bump('A', 1),
      up: (event, source) => {
        seen.push([source.stream, source.id, source.metadata.actor.principal]);
        return [{ ...event, version: 2 }];
      },
    };
    registryOf({ A: 2 }, step).read(stored('A', 1));
    expect(seen).toEqual([['session-w/s', 'id-1', 'agent:tester']]);
  });

  it('tells the current version of a type', () => {
    expect([registry.currentVersion('A'), registry.currentVersion('toString')]).toEqual([3, null]);
  });
});
