import { fingerprintVerdict, oldOperationId } from './fingerprint.js';
import type { ReceiptFacts } from './facts.js';
import { invented } from '../testing/invented-rows.js';

const factsWith = (changes: Partial<ReceiptFacts>): ReceiptFacts => ({ ...invented.facts(), ...changes });
const text = (args: string): ReceiptFacts['arguments'] => ({ kind: 'text', text: args });

describe('oldOperationId', () => {
  it('hashes the bytes that the old runtime hashed', () => {
    expect(oldOperationId('learnrun_demo', 'run_cmd', 'printf ok')).toBe('6ea7cdb8547174d4abde4b73533424cd');
    expect(oldOperationId('mcp:1', 'read_file', 'plain.txt')).toBe('e751ff2c3b7039864ba3fb1957866d26');
    expect(oldOperationId('learnrun_demo', 'write_file', 'naïve.txt|日本語\nzwei')).toBe('79bd00e12617274ca65a0c94fcc0002a');
  });
});

describe('fingerprintVerdict', () => {
  const scope = 'task_0123456789abcdef_fedcba9876543210';
  const operationId = oldOperationId(scope, 'run_cmd', 'make lint');
  const facts = factsWith({ tool: 'run_cmd', arguments: text('make lint'), operationId });

  it('is a match where a recorded task was the scope', () => {
    expect(fingerprintVerdict(facts, [null, scope])).toBe('match');
  });

  it('never calls it a mismatch when the scope was not recorded', () => {
    expect(fingerprintVerdict(facts, [null, null])).toBe('not_recomputable');
    expect(fingerprintVerdict(facts, ['task_of_another_kind'])).toBe('not_recomputable');
  });

  it('is not recomputable without an id, or without the text that was hashed', () => {
    expect(fingerprintVerdict({ ...facts, operationId: null }, [scope])).toBe('not_recomputable');
    expect(fingerprintVerdict({ ...facts, arguments: { kind: 'absent' } }, [scope])).toBe('not_recomputable');
    expect(fingerprintVerdict({ ...facts, arguments: { kind: 'object', value: {} } }, [scope])).toBe('not_recomputable');
  });
});
