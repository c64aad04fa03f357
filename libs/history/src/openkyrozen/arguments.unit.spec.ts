import { argumentsJson } from './arguments.js';
import type { RecordedArguments } from './generations/shapes.js';

const text = (value: string): RecordedArguments => ({ kind: 'text', text: value });
const parsed = (tool: string, recorded: RecordedArguments, opaque = false): unknown => JSON.parse(argumentsJson(tool, recorded, opaque));

describe('argumentsJson', () => {
  it.each<[string, string, object]>([
    ['read_file', 'docs/a|b.md', { path: 'docs/a|b.md' }],
    ['write_file', 'a.txt|one|two', { path: 'a.txt', content: 'one|two' }],
    ['write_file', 'a.txt|', { path: 'a.txt', content: '' }],
    ['write_file', 'no bar', { args: 'no bar' }],
    ['run_cmd', 'ls | wc', { command: 'ls | wc' }],
    ['find_files', '*.md|docs', { pattern: '*.md', directory: 'docs' }],
    ['find_files', '*.md', { pattern: '*.md' }],
    ['git_clone', 'https://host.invalid/a.git', { url: 'https://host.invalid/a.git' }],
    ['git_commit', 'fix: a|b', { message: 'fix: a|b' }],
    ['browser_click', 's1|a|b', { session_id: 's1', selector: 'a|b' }],
    ['browser_type', 's1|#q|text', { session_id: 's1', selector: '#q', text: 'text' }],
    ['browser_type', 's1|svg|a|text', { args: 's1|svg|a|text' }],
    ['git_push', 'origin main', { args: 'origin main' }],
    ['frobnicate', 'x|y', { args: 'x|y' }],
  ])('%s %j', (tool, args, expected) => {
    expect(parsed(tool, text(args))).toEqual(expected);
  });

  it('leaves opaque text whole', () => {
    expect(parsed('write_file', text("{'a': 'b|c'}"), true)).toEqual({ args: "{'a': 'b|c'}" });
  });

  it('gives old spellings of fields their name, where it is free and the tool has it', () => {
    expect(parsed('write_file', { kind: 'object', value: { file_path: 'a', text: 'b' } })).toEqual({ path: 'a', content: 'b' });
    expect(parsed('write_file', { kind: 'object', value: { file_path: 'a', path: 'b' } })).toEqual({ file_path: 'a', path: 'b' });
    expect(parsed('frobnicate', { kind: 'object', value: { file_path: 'a' } })).toEqual({ file_path: 'a' });
  });

  it('keeps keys that are no ordinary property', () => {
    const value = JSON.parse('{"__proto__":{"a":1},"constructor":2,"10":3}') as Record<string, unknown>;
    expect(argumentsJson('frobnicate', { kind: 'object', value }, false)).toBe('{"10":3,"__proto__":{"a":1},"constructor":2}');
  });

  it('has null for none, and other values under args', () => {
    expect(argumentsJson('read_file', { kind: 'absent' }, false)).toBe('null');
    expect(parsed('read_file', { kind: 'other', value: [1, 'a'] })).toEqual({ args: [1, 'a'] });
  });
});
