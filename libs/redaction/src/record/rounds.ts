import type { FingerprintKey } from '@counterfoil/canonical';
import type { KnownSecret } from '@counterfoil/contracts';
import type { Learned } from '../known/learned.js';
import { Budget, Matcher } from '../known/matcher.js';
import { escapeLoneSurrogates, splice } from '../splice/splice.js';
import type { RuleSet } from '../text/rule.js';
import type { RecordContext } from '../walk/search.js';
import { Search } from '../walk/search.js';
import { assemble } from './assemble.js';
import type { ReadInput, RedactionInput } from './input.js';
import { readInput } from './input.js';
import { learnDocument } from './learn.js';
import type { Work } from './work.js';

export interface RoundContext {
  readonly key: FingerprintKey;
  readonly known: readonly KnownSecret[];
  readonly rules: RuleSet;
  readonly learned: Learned;
}

/**
 * A mark can bring together what stood apart, so that a rule sees something new. Then it is looked at again; nothing that
 * was seen in practice takes more than one further round.
 */
const MOST_ROUNDS = 4;

const currentInput = (work: Work): RedactionInput =>
  work.json === null ? work.input : { kind: 'json', text: work.json, anomalies: work.anomalies };

/** Reads the inputs once, learns from them, and tells what they hold that has another half. */
function readAll(works: readonly Work[], context: RoundContext, found: RecordContext): { inputs: ReadInput[]; found: RecordContext } {
  const { key, known, rules, learned } = context;
  const matcher = known.length === 0 && learned.size === 0 ? null : new Matcher(key, known, learned.all());
  let { hasOpenKey, hasAwsKeyId } = found;
  const inputs = works.map((work) => {
    const input = currentInput(work);
    const search = new Search(rules, found, matcher, new Budget(input.text.length));
    const read = readInput(input, search);
    hasOpenKey ||= search.hasOpenKey;
    hasAwsKeyId ||= search.hasAwsKeyId;
    return read;
  });
  for (const { document } of inputs) learnDocument(document, rules, learned);
  return { inputs, found: { hasOpenKey, hasAwsKeyId } };
}

/**
 * One round over some inputs. Returns those whose text changed, and whether what was learned was looked for in all of them.
 */
function round(works: readonly Work[], context: RoundContext): { changed: Work[]; isComplete: boolean } {
  const { learned } = context;
  const before = learned.size;
  const first = readAll(works, context, { hasOpenKey: false, hasAwsKeyId: false });
  const known = learned.size;
  // Only a record that holds secrets is read twice: now that they are known, for where else they stand.
  const isDone = known === before && !first.found.hasOpenKey && !first.found.hasAwsKeyId;
  const inputs = isDone ? first.inputs : readAll(works, context, first.found).inputs;
  const changed = works.filter((work, at) => {
    const input = inputs[at];
    return input !== undefined && apply(work, input);
  });
  return { changed, isComplete: learned.size === known };
}

/** Whether anything was redacted. */
function apply(work: Work, { document, fixes, anomalies }: ReadInput): boolean {
  const replacements = assemble(document, '', work.report);
  const all = fixes.length === 0 ? replacements : [...replacements, ...fixes].sort((a, b) => a.start - b.start || b.end - a.end);
  work.json = escapeLoneSurrogates(splice(document.text, all));
  work.anomalies = anomalies;
  return replacements.length > 0;
}

/**
 * Redacts inputs of one record together, until nothing changes any more. What a later round, or the second reading of a round,
 * learns is looked for in all of them again.
 */
export function redactAll(works: readonly Work[], context: RoundContext): void {
  let open = works;
  for (let count = 0; count < MOST_ROUNDS && open.length > 0; count++) {
    const size = context.learned.size;
    const { changed, isComplete } = round(open, context);
    const isLate = count > 0 && context.learned.size > size;
    open = isLate || !isComplete ? works : changed;
  }
}

/**
 * Cuts what is over its limit. A text that was cut is looked at again, since JSON in a string that was cut is JSON no more and
 * other rules see it; what they take out may make it longer, and so on, a few times. In the end only the mark is left.
 */
export function boundAll(works: readonly Work[], context: RoundContext): void {
  context.learned.close();
  for (let count = 0; count < MOST_ROUNDS; count++) {
    const cut = works.filter((work) => work.cut());
    if (cut.length === 0) return;
    redactAll(cut, context);
  }
  for (const work of works) work.cutToMark();
}
