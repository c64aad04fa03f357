import type { Projection } from '@counterfoil/read-models';
import { sessionOpened, toolCallRequested } from './events.js';
import { recordedIn } from './log.js';
import { projecting } from './projecting.js';

interface Tally {
  readonly types: readonly string[];
}

const tally: Projection<Tally> = {
  name: 'tally',
  indexes: [{ name: 'by_count', fields: ['count'] }],
  idOf: (event) => event.stream,
  evolve: (doc, event) => ({ types: [...(doc?.types ?? []), event.type] }),
  fields: (doc) => ({ count: doc.types.length }),
};

const EVENTS = recordedIn('session-w1/s1', sessionOpened(), toolCallRequested());
const EXPECTED = { 'session-w1/s1': { types: ['SessionOpened', 'ToolCallRequested'] } };

describe('given/then for projections', () => {
  it('compares documents', () => {
    projecting(tally)
      .given(...EVENTS)
      .then(EXPECTED);
    projecting(tally)
      .given(...EVENTS)
      .thenExactly(EXPECTED);
    projecting(tally).given().thenNothing();
  });

  it('folds an event into each document that it touches, told which, and once into one that is named twice', () => {
    const perWord: Projection<{ readonly id: string; readonly events: number }> = {
      name: 'words',
      indexes: [],
      idOf: (event) => [event.type, 'all', event.type],
      evolve: (doc, _, id) => ({ id, events: (doc?.events ?? 0) + 1 }),
      fields: () => ({}),
    };
    projecting(perWord)
      .given(...EVENTS)
      .thenExactly({
        SessionOpened: { id: 'SessionOpened', events: 1 },
        ToolCallRequested: { id: 'ToolCallRequested', events: 1 },
        all: { id: 'all', events: 2 },
      });
  });

  it.each([
    ['a missing document', tally, { ...EXPECTED, other: {} }],
    ['an unexpected document', tally, {}],
    ['other values', tally, { 'session-w1/s1': { types: ['SessionOpened'] } }],
  ])('fails on %s', (_, projection, expected) => {
    expect(() => {
      projecting(projection)
        .given(...EVENTS)
        .then(expected);
    }).toThrow();
  });

  const changing: Projection<{ types: string[] }> = {
    ...tally,
    evolve(doc, event) {
      doc?.types.push(event.type);
      return doc ?? { types: [event.type] };
    },
    fields: () => ({ count: 0 }),
  };
  // After a restart the document comes from JSON, where it can't share anything with the one before.
  const remembering: Projection<{ first: object; second: unknown }> = {
    ...tally,
    evolve: (doc, event) =>
      doc === null ? { first: event.data, second: null } : { first: doc.first, second: doc.first === EVENTS[0]?.data },
    fields: () => ({ count: 0 }),
  };
  it.each([
    ['changes a document', changing],
    ['gives other bytes after a restart', remembering],
    ['leaves out a field', { ...tally, fields: () => ({}) }],
    ['gives a field no store can hold', { ...tally, fields: () => ({ count: Number.NaN }) }],
  ] as [string, Projection<Tally>][])('fails on a projection that %s', (_, projection) => {
    expect(() => projecting(projection).given(...EVENTS)).toThrow();
  });

  it('tells a fault by its code, and only in the last event', () => {
    const refusing: Projection<Tally> = {
      ...tally,
      evolve(doc, event, id) {
        if (event.type === 'ToolCallRequested') throw Object.assign(new Error('no'), { code: 'refused' });
        return tally.evolve(doc, event, id);
      },
    };
    projecting(refusing).fault('refused', ...EVENTS);
    expect(() => {
      projecting(tally).fault('refused', ...EVENTS);
    }).toThrow();
  });
});
