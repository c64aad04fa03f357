import { payloadOf } from '@counterfoil/testing';
import { familyOf, hintsIn, hintsOf } from './families.js';

/** Each family once more, by hand: its actions and its words. */
const FAMILIES: readonly [string, string, string][] = [
  ['inspect', 'list_dir list_tree read_file find_files', 'read inspect list directory repo repository structure tree'],
  ['write', 'write_file', 'write edit add update create modify append'],
  ['execute', 'run_cmd', 'run test execute command suite pytest start serve verify check stop kill'],
  ['review', 'git_diff', 'diff review compare'],
  ['status', 'git_status', 'status clean'],
  ['stage', 'git_add', 'stage staging'],
  ['commit', 'git_commit', 'commit committed'],
  ['history', 'git_log', 'log history commits'],
];

const familyIn = (actions: string): number => familyOf(actions.split(' ')[0] ?? '');

describe.each(FAMILIES)('the family %s', (_name, actions, words) => {
  it('is one, of all its actions, and apart from the others', () => {
    const own = familyIn(actions);
    expect(own).toBeGreaterThan(0);
    expect(actions.split(' ').map(familyOf)).toEqual(actions.split(' ').map(() => own));
    expect(FAMILIES.filter(([, others]) => familyIn(others) === own)).toHaveLength(1);
  });

  it('is hinted at by each of its words, whole and in any case, and by no part of one', () => {
    for (const word of words.split(' ')) {
      for (const text of [word, `please ${word.toUpperCase()}, then go on`, `a-${word}/b`, `«${word}»`]) {
        expect([text, hintsIn(text) & familyIn(actions)]).toEqual([text, familyIn(actions)]);
      }
      for (const text of [`${word}_x`, `x${word}`, `${word}7`, `${word}é`]) expect([text, hintsIn(text)]).toEqual([text, 0]);
    }
  });
});

describe('hints', () => {
  it('of several words are of all their families', () => {
    expect(hintsIn('Write the test')).toBe(familyOf('write_file') | familyOf('run_cmd'));
    expect(hintsIn('')).toBe(0);
  });

  it('of actions of no family are none', () => {
    for (const action of ['git_push', 'calculate', '', 'constructor']) expect(familyOf(action)).toBe(0);
    for (const text of ['constructor', '__proto__', 'toString']) expect(hintsIn(text)).toBe(0);
  });

  it('of a task stand in its title and its description, and not in its criteria', () => {
    const details = (title: unknown, description: unknown): number =>
      hintsOf(payloadOf({ title, description, criteria: ['run the tests'] }));
    expect(details('Write it', null)).toBe(familyOf('write_file'));
    expect(details(null, 'Compare both')).toBe(familyOf('git_diff'));
    expect(details('Write it', 'and commit')).toBe(familyOf('write_file') | familyOf('git_commit'));
    expect(details(null, null)).toBe(0);
    expect(details(['write'], { write: 'write' })).toBe(0);
  });

  it.each(['write', null, 7, ['write it']])('of details that are no object (%j) are none', (details) => {
    expect(hintsOf(payloadOf(details))).toBe(0);
  });
});
