import { RebuildError, reasonOf } from './errors.js';

describe('reasonOf', () => {
  it.each([
    [Object.assign(new Error('FAKE'), { code: 'projection_fault' }), 'projection_fault'],
    [new TypeError('FAKE'), 'TypeError'],
    [Object.assign(new Error('FAKE'), { code: 'FAKE secret of a payload', name: 'Odd' }), 'Odd'],
    [Object.assign(new Error('FAKE'), { name: 'FAKE secret of a payload' }), 'error'],
    [{ code: 7 }, 'error'],
    ['FAKE', 'error'],
    [null, 'error'],
    [undefined, 'error'],
  ])('gives a code or a name, never a message (%#)', (error, reason) => {
    expect(reasonOf(error)).toBe(reason);
  });
});

describe('RebuildError', () => {
  it('names position, type, stream and reason', () => {
    const poison = { stream: 'session-w1/s1', position: 41n, type: 'ToolExecuted', reason: 'poisoned', projection: 'calls', detail: null };
    expect(new RebuildError(poison).message).toBe(
      'position 41, type ToolExecuted, stream session-w1/s1 in projection calls: poisoned. The live read models are unchanged.',
    );
    const unreadable = { ...poison, projection: null, reason: 'unreadable', detail: 'the version is newer' };
    expect(new RebuildError(unreadable).message).toContain('stream session-w1/s1: unreadable (the version is newer).');
  });
});
