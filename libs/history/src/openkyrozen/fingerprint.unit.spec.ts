import { createHash } from 'node:crypto';
import type { KeptArguments } from './fidelity.js';
import { digestVerdicts, fingerprintOf, oldArgumentsDigest, oldOperationId } from './fingerprint.js';

const kept = (value: unknown, tool = 'run_cmd'): KeptArguments => ({ value, typed: false, tool, failure: null, bound: 1000 });

describe('oldOperationId', () => {
  it('hashes the bytes that the old runtime hashed', () => {
    expect(oldOperationId('learnrun_demo', 'run_cmd', 'printf ok')).toBe('6ea7cdb8547174d4abde4b73533424cd');
    expect(oldOperationId('mcp:1', 'read_file', 'plain.txt')).toBe('e751ff2c3b7039864ba3fb1957866d26');
    expect(oldOperationId('learnrun_demo', 'write_file', 'naïve.txt|日本語\nzwei')).toBe('79bd00e12617274ca65a0c94fcc0002a');
  });
});

describe('oldArgumentsDigest', () => {
  it('hashes the bytes that generation 2 hashed: line breaks as blanks, and none around', () => {
    expect(oldArgumentsDigest('a\r\nb\nc  ')).toBe('0e9f64031fcb2bc708b531c2a20441580425d151a38503f38592a7dd36019d3b');
    expect(oldArgumentsDigest('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });
});

describe('blanks that only one of the two languages takes away', () => {
  it.each([
    ['separators around it', '\u001fx\u0085', 'x'],
    ['a byte order mark before it', '\ufeffx', '\ufeffx'],
    ['all that Python has', ' \t\n\v\f\r\u001c\u001d\u001e\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000x', 'x'],
  ])('made a mismatch of whole arguments: %s', (_what, text, hashed) => {
    const argsSha256 = createHash('sha256').update(hashed).digest('hex');
    expect(digestVerdicts(kept(text), { operationId: null, argsSha256 }, []).args).toBe('match');
  });
});

describe('digestVerdicts: the operation id', () => {
  const scope = 'task_0123456789abcdef_fedcba9876543210';
  const old = { operationId: oldOperationId(scope, 'run_cmd', 'make lint'), argsSha256: undefined };

  it('is a match where a recorded scope was the scope', () => {
    expect(digestVerdicts(kept('make lint'), old, [null, scope])).toEqual({ operation: 'match', args: null });
  });

  it('never calls it a mismatch when another scope was recorded, or none', () => {
    expect(digestVerdicts(kept('make lint'), old, [null, null]).operation).toBeNull();
    expect(digestVerdicts(kept('make lint'), old, ['task_of_another_kind']).operation).toBeNull();
  });

  it('is not recomputable without an id, or without the text that was hashed', () => {
    expect(digestVerdicts(kept('make lint'), { ...old, operationId: null }, [scope]).operation).toBeNull();
    expect(digestVerdicts(kept(null), old, [scope]).operation).toBeNull();
    expect(digestVerdicts(kept({}), old, [scope]).operation).toBeNull();
  });
});

describe('digestVerdicts: the digest of the arguments', () => {
  const of = (value: string, argsSha256: unknown) => digestVerdicts(kept(value), { operationId: null, argsSha256 }, []).args;

  it.each<[string, string, unknown, string | null]>([
    ['the same text', 'make lint', oldArgumentsDigest('make lint'), 'match'],
    ['a text with line breaks, kept as blanks', 'a b', oldArgumentsDigest('a\nb'), 'match'],
    ['a text with Windows line breaks', 'a\r b', oldArgumentsDigest('a\r\nb'), 'match'],
    ['upper-case digits', 'make lint', oldArgumentsDigest('make lint').toUpperCase(), 'match'],
    ['another text', 'make lint', oldArgumentsDigest('make test'), 'mismatch'],
    ['a text that was redacted', 'push --token=<redacted>', oldArgumentsDigest('push --token=x'), null],
    ['a text that was cut', 'x'.repeat(1000), oldArgumentsDigest('x'.repeat(1001)), null],
    ['a text that is as long as the bound, and whole', 'x'.repeat(1000), oldArgumentsDigest('x'.repeat(1000)), 'match'],
    ['no digest', 'make lint', null, null],
    ['a digest that is none', 'make lint', 'abc', null],
    ['a digest of another type', 'make lint', 7, null],
  ])('%s', (_, text, digest, verdict) => {
    expect(of(text, digest)).toBe(verdict);
  });
});

describe('fingerprintOf', () => {
  it('states a mismatch before all else', () => {
    expect(fingerprintOf({ args: 'mismatch', operation: 'match' })).toBe('mismatch');
    expect(fingerprintOf({ args: null, operation: 'match' })).toBe('match');
    expect(fingerprintOf({ args: 'match', operation: null })).toBe('match');
    expect(fingerprintOf({ args: null, operation: null })).toBe('not_recomputable');
  });
});
