import type { Payload } from '@counterfoil/contracts';

/** Kinds of work, by the words that say so in a task's description and by the actions that do it. Frozen. */
const FAMILIES: readonly { readonly actions: string; readonly hints: string }[] = [
  { actions: 'list_dir list_tree read_file find_files', hints: 'read inspect list directory repo repository structure tree' },
  { actions: 'write_file', hints: 'write edit add update create modify append' },
  { actions: 'run_cmd', hints: 'run test execute command suite pytest start serve verify check stop kill' },
  { actions: 'git_diff', hints: 'diff review compare' },
  { actions: 'git_status', hints: 'status clean' },
  { actions: 'git_add', hints: 'stage staging' },
  { actions: 'git_commit', hints: 'commit committed' },
  { actions: 'git_log', hints: 'log history commits' },
];

const bitsOf = (which: 'actions' | 'hints'): ReadonlyMap<string, number> =>
  new Map(FAMILIES.flatMap((family, at) => family[which].split(' ').map((word): [string, number] => [word, 1 << at])));

const OF_ACTION = bitsOf('actions');
const OF_HINT = bitsOf('hints');

/** A word as the old patterns bounded it: letters, digits and underscores. */
const WORDS = /[\p{L}\p{N}_]+/gu;

/** The family of an action, as a set of one bit; 0 for an action of none. */
export const familyOf = (action: string): number => OF_ACTION.get(action) ?? 0;

/** The families at which words of a text hint, as a set of bits: whole words, in any case. */
export function hintsIn(text: string): number {
  let bits = 0;
  for (const [word] of text.toLowerCase().matchAll(WORDS)) bits |= OF_HINT.get(word) ?? 0;
  return bits;
}

/** The families at which a planned task's title and description hint, as far as they are stored; criteria say nothing of the kind. */
export function hintsOf(details: Payload): number {
  const words: unknown = JSON.parse(details.json);
  if (typeof words !== 'object' || words === null) return 0;
  const { title, description } = words as Readonly<Record<string, unknown>>;
  return [title, description].reduce<number>((bits, text) => (typeof text === 'string' ? bits | hintsIn(text) : bits), 0);
}
