import { sideEffectsOf, toolNamed } from './tools.js';
import { verify } from './verification.js';
import type { EffectFacts } from './verification.js';

const READ: EffectFacts = { tool: 'read_file', authorized: true, failure: null, exitCode: null, verifiedEffect: null };

const of = (changes: Partial<EffectFacts>): ReturnType<typeof verify> => verify({ ...READ, ...changes });
const EFFECT = 'file exists after write: /w/a.md';

describe('verify', () => {
  it.each<[string, Partial<EffectFacts>, string, string]>([
    ['a read', {}, 'not_applicable', 'read_only_tool'],
    ['a read that was stopped', { failure: 'interrupted' }, 'not_applicable', 'read_only_tool'],
    ['a read that was not authorised', { authorized: false }, 'not_applicable', 'not_dispatched'],
    ['a command that passed', { tool: 'run_cmd', exitCode: 0 }, 'verified', 'exit_status'],
    ['a command that failed', { tool: 'run_cmd', exitCode: 3 }, 'failed', 'exit_status'],
    ['a command that was killed', { tool: 'run_cmd', exitCode: -15 }, 'failed', 'exit_status'],
    ['a command whose flag disagrees', { tool: 'run_cmd', exitCode: 1 }, 'failed', 'exit_status'],
    ['a command out of time', { tool: 'run_cmd', failure: 'timeout' }, 'unavailable', 'timeout'],
    ['a command with no exit code', { tool: 'run_cmd' }, 'unavailable', 'no_structured_exit_status'],
    ['a command that was blocked', { tool: 'run_cmd', failure: 'denied' }, 'not_applicable', 'not_dispatched'],
    ['a write after which the file was there', { tool: 'write_file', verifiedEffect: EFFECT }, 'unavailable', 'legacy_existence_check'],
    ['a repeated write', { tool: 'write_file', failure: 'duplicate_operation' }, 'not_applicable', 'not_dispatched'],
    ['a write with no effect seen', { tool: 'write_file' }, 'unavailable', 'no_observation'],
    ['a page that was stopped', { tool: 'read_webpage', failure: 'interrupted' }, 'unavailable', 'interrupted'],
    ['an unknown tool', { tool: 'lookup_rate' }, 'unavailable', 'unsupported_tool'],
    ['an exit code of a tool that runs no commands', { tool: 'git_push', exitCode: 0 }, 'unavailable', 'no_observation'],
  ])('%s', (_, changes, state, method) => {
    expect(of(changes)).toMatchObject({ state, method });
  });

  it('observes the exit code, or the old sentence', () => {
    expect(of({ tool: 'run_cmd', exitCode: -9 }).observed).toEqual({ exit_code: -9 });
    expect(of({ tool: 'write_file', verifiedEffect: EFFECT }).observed).toBe(EFFECT);
    expect(of({ tool: 'write_file', verifiedEffect: 'looks fine' })).toEqual({ state: 'unavailable', method: 'no_observation' });
  });
});

describe('tools', () => {
  it('resolves the old aliases exactly', () => {
    expect(['bash', 'run_terminal', 'show', 'tree', 'write', ' sh '].map(toolNamed)).toEqual([
      'run_cmd',
      'run_cmd',
      'git_show',
      'list_tree',
      'write_file',
      'run_cmd',
    ]);
    expect(['Bash', 'toString', 'edit_file'].map(toolNamed)).toEqual(['Bash', 'toString', 'edit_file']);
  });

  it('takes every name that is no builtin for destructive', () => {
    expect(['read_file', 'write_file', 'run_cmd', 'browser_snapshot', 'git_reset', 'spawn_agents'].map(sideEffectsOf)).toEqual([
      'read_only',
      'filesystem',
      'process',
      'remote',
      'destructive',
      'internal',
    ]);
    expect(['Read_file', 'frobnicate', 'constructor', ''].map(sideEffectsOf)).toEqual(Array(4).fill('destructive'));
  });
});
