import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.resolve(import.meta.dirname, '../..');

interface Row {
  /** Number of the promise or case, without the letter of its part. */
  readonly number: number;
  readonly what: string;
  readonly file: string;
  readonly title: string;
}

const page = readFileSync(path.join(ROOT, 'docs/behaviour.md'), 'utf8');

/** The text of a cell: the inside of a code span, where it is one. */
function textOf(cell: string): string {
  const span = /^(`+)(.*)\1$/.exec(cell);
  const inside = span?.[2] ?? cell;
  // A space at each end keeps backticks inside apart from those around them (CommonMark, code spans).
  return span !== null && inside.startsWith(' `') ? inside.slice(1, -1) : inside;
}

const CONTRACT = 'The receipt and task contract, row by row';

/** What stands under a heading of the second level. */
const sectionOf = (heading: string): string => page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';

/** The rows under a heading of the second level, in all its tables. */
function rowsOf(heading: string): Row[] {
  return sectionOf(heading)
    .split('\n')
    .filter((line) => /^\| *[0-9]/.test(line))
    .map((line) => {
      const [number = '', what = '', file = '', title = ''] = line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => textOf(cell.trim().replaceAll('\\|', '|')));
      return { number: Number.parseInt(number, 10), what, file, title };
    });
}

/** How often each title of a test stands in a file: alone, and as `group › title`. Tests that are skipped don't count; `race` is a kit's `it`. */
type Titles = ReadonlyMap<string, number>;
const known = new Map<string, Titles>();

function titlesOf(file: string): Titles {
  const titles = known.get(file) ?? readTitles(file);
  known.set(file, titles);
  return titles;
}

function readTitles(file: string): Titles {
  const titles = new Map<string, number>();
  const source = ts.createSourceFile(file, readFileSync(path.join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest);
  const visit = (node: ts.Node, group: string | null): void => {
    const title = ts.isCallExpression(node) ? titleIn(node, source) : null;
    const callee = ts.isCallExpression(node) ? node.expression.getText(source) : '';
    if (title !== null && /^(it|test|race)(\.each\b|$)/.test(callee))
      for (const name of group === null ? [title] : [title, `${group} › ${title}`]) titles.set(name, (titles.get(name) ?? 0) + 1);
    if (/^describe\.skip\b/.test(callee)) return;
    const inner = title !== null && /^[^']*\bdescribe\b/.test(callee) ? title : group;
    ts.forEachChild(node, (child) => visit(child, inner));
  };
  visit(source, null);
  return titles;
}

/** The first argument of a call, as it stands in the source: one can grep for it, with its `%s` and `${…}`. */
function titleIn(call: ts.CallExpression, source: ts.SourceFile): string | null {
  const [title] = call.arguments;
  if (title === undefined) return null;
  if (ts.isStringLiteralLike(title)) return title.text;
  return ts.isTemplateExpression(title) ? title.getText(source).slice(1, -1) : null;
}

/** Later versions have no spec yet, and say so. */
const LATER = /^(not yet: (issue [4-6]( and [4-6])?|later)|not for this version)$/;
/** What can't be asked of this ledger says why. */
const STRANGE = /^does not apply: \S.+$/;

function problemOf({ file, title }: Row): string | null {
  if (title === '') return LATER.test(file) || STRANGE.test(file) ? null : 'names neither a test nor the issue in which it comes';
  if (!/\.spec\.ts$|^libs\/testing\/src\/.*-tests\.ts$/.test(file)) return 'is neither a spec nor a conformance kit';
  if (!existsSync(path.join(ROOT, file))) return 'does not exist';
  const times = titlesOf(file).get(title) ?? 0;
  if (times === 0) return `has no test with the title ${JSON.stringify(title)}`;
  return times === 1 ? null : `has ${String(times)} tests with the title ${JSON.stringify(title)}: put its group before it`;
}

describe.each([
  ['Promises', 31],
  ['Cases', 70],
  [CONTRACT, 87],
])('docs/behaviour.md, %s', (heading, count) => {
  const rows = rowsOf(heading);

  it(`has a row for each number from 1 to ${count}, in order, and says what each is about`, () => {
    const numbers = rows.map(({ number }) => number);
    expect([...new Set(numbers)]).toEqual(Array.from({ length: count }, (_, n) => n + 1));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(rows.filter(({ what }) => what === '')).toEqual([]);
  });

  it('names only tests that exist, and for the rest the issue in which it comes', () => {
    const problems = rows.flatMap((row) => {
      const problem = problemOf(row);
      return problem === null ? [] : [`${row.number}: ${row.file} ${problem}`];
    });
    expect(problems).toEqual([]);
  });
});

describe('what the page says of the contract as a whole', () => {
  const rows = rowsOf(CONTRACT);
  const SENTENCE =
    /Of the (\d+) rows (\d+) are proven, by (\d+) specs; of (\d+) of these a part comes later\. (\d+) come later as a whole\. (\d+) do not apply, and of (\d+) a part does not\./;

  /** How many numbers have a line of which this holds. */
  const numbersWith = (test: (row: Row) => boolean): ReadonlySet<number> => new Set(rows.filter(test).map(({ number }) => number));

  it('is what its lines add up to', () => {
    const all = numbersWith(() => true);
    const proven = numbersWith(({ title }) => title !== '');
    const later = numbersWith(({ file }) => LATER.test(file));
    const strange = numbersWith(({ file }) => STRANGE.test(file));
    const specs = new Set(rows.filter(({ title }) => title !== '').map(({ file }) => file));
    const inPart = (numbers: ReadonlySet<number>): number => [...numbers].filter((number) => proven.has(number)).length;
    const asWhole = [...later].filter((number) => !proven.has(number)).length;
    const said = SENTENCE.exec(sectionOf(CONTRACT).replaceAll(/\s+/g, ' '))?.slice(1).map(Number);
    expect(said).toEqual([
      ...[all.size, proven.size, specs.size],
      ...[inPart(later), asWhole],
      ...[all.size - proven.size - asWhole, inPart(strange)],
    ]);
  });
});

describe('a conformance kit that the page names', () => {
  const files = [...rowsOf('Promises'), ...rowsOf('Cases'), ...rowsOf(CONTRACT)]
    .map(({ file }) => file)
    .filter((file) => file.endsWith('-tests.ts'));
  const specs = readdirSync(path.join(ROOT, 'libs'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.int.spec.ts'));
  const specTexts = specs.map((name) => readFileSync(path.join(ROOT, 'libs', name), 'utf8'));

  it.each([...new Set(files)])('%s is run by the spec of an adapter', (file) => {
    const conformance = readFileSync(path.join(ROOT, path.dirname(file), 'conformance.ts'), 'utf8');
    expect(conformance).toContain(`from './${path.basename(file, '.ts')}.js'`);
    const run = /export function (\w+Conformance)\b/.exec(conformance)?.[1] ?? 'nothing';
    expect(specTexts.filter((text) => text.includes(`${run}(`))).not.toEqual([]);
  });
});
