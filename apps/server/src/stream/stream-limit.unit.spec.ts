import { codeOf } from '@counterfoil/testing';
import { StreamLimit, STREAMS_PER_KEY } from './stream-limit.js';

it('a key has so many streams, whatever other keys have, and gets a place back once', () => {
  const limit = new StreamLimit();
  const giveBack = Array.from({ length: STREAMS_PER_KEY }, () => limit.take('one'));
  limit.take('two');
  expect(codeOf(() => limit.take('one'))).toBe('too_many_streams');
  expect(limit.open).toBe(STREAMS_PER_KEY + 1);
  giveBack[0]?.();
  giveBack[0]?.();
  expect(limit.open).toBe(STREAMS_PER_KEY);
  limit.take('one');
  expect(codeOf(() => limit.take('one'))).toBe('too_many_streams');
});

it('holds nothing of keys that have none open', () => {
  const limit = new StreamLimit();
  limit.take('one')();
  expect(Reflect.get(limit, 'byKey')).toEqual(new Map());
});
