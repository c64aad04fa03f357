import { withKeyedDigests } from '../import/keyed-digests.js';
import type { Recognised } from '../recognition.js';
import { CONTEXT } from '../testing/import-context.js';
import { inventedRecords } from '../testing/invented-records.js';
import { invented } from '../testing/invented-rows.js';
import { digestsOfText } from './digests.js';
import { recognise } from './recognise.js';

const { taskRow, event } = inventedRecords;
const { line } = invented;

const MIB = 1024 * 1024;
/** So much of a text. */
const fill = (text: string): string => text.repeat(Math.ceil(MIB / text.length));
/** A list of so many members that it takes a MiB. */
const many = (member: (index: number) => unknown): unknown[] => {
  const { length } = JSON.stringify(member(99_999));
  return Array.from({ length: Math.ceil(MIB / (length + 1)) }, (_, index) => member(index));
};
const json = (value: unknown): string => JSON.stringify(value);
const hex = (index: number): string => index.toString(16).padStart(64, '0');

/** Records of a MiB and more on which something in here, or in a reader like it, once took a time that grew with the square. */
const LARGE: readonly (readonly [string, () => string])[] = [
  ['bars and no blank behind them', () => line({}, { action: 'write_file', args: fill('|') })],
  ['blanks before bars', () => line({}, { action: 'write_file', args: ` ${fill('|')}` })],
  ['brackets', () => line({}, { args: `[${fill('[')}]` })],
  ['quotes', () => line({}, { args: `{'${fill("'")}}` })],
  ['backslashes', () => json(event('mystery', { a: `${fill('\\')}action` }))],
  ['half surrogate pairs', () => line({}, { result: fill('\ud800') })],
  ['keys', () => line({}, Object.fromEntries(many((index) => `key ${String(index)}`).map((key): [string, unknown] => [String(key), 1])))],
  ['digests, each another one', () => line({}, { call_id: 'c', arguments: { list: many((index) => ({ sha256: hex(index) })) } })],
  ['one run of hex digits', () => line({}, { args_sha256: hex(1), result: fill('0') })],
  ['JSON in JSON in JSON', () => line({}, { result: nested() })],
  ['evidence', () => json(taskRow({ evidence: many(() => ({ action: 'a' })) }))],
  ['evidence that is nothing', () => json(taskRow({ evidence: many(() => 0) }))],
  ['calls below a long key', () => json(event('mystery', { [fill('k')]: many(() => ({ action: 'a', success: true })) }))],
  ['calls deep down', () => json(event('mystery', deep(many(() => ({ action: 'a', success: true })))))],
  ['brackets without an end', () => `{"event_type":"execution.receipt","payload":${fill('[')}`],
];

function nested(): string {
  let text = 'sha256';
  while (text.length < MIB) text = json({ a: text });
  return text;
}

function deep(value: unknown): unknown {
  let found = value;
  for (let level = 0; level < 200; level++) found = { ['a key of some length'.repeat(2)]: found };
  return found;
}

/** Characters of what is said of a record. */
function sizeOf(found: Recognised): number {
  if (found.kind === 'not_a_receipt') return found.surface.length;
  if (found.kind === 'quarantine') return json(found).length;
  return found.text.length + found.content.length + json([found.coordinates, found.identity, found.digests]).length;
}

describe('a large record of', () => {
  it.each(LARGE)('%s is read to its end, and what is said of it grows no faster than it', (_, make) => {
    const text = make();
    const found = recognise(text);
    const digests: string[] = [];
    let size = 0;
    for (const one of found) {
      size += sizeOf(one);
      if ('digests' in one) for (const digest of one.digests) digests.push(digest);
    }
    // A call of twenty characters is told apart by a place and ids of a few hundred.
    expect(size).toBeLessThan(8 * text.length + 1500 * found.count);
    expect(withKeyedDigests(text, CONTEXT.importKey, digests).length).toBeLessThan(3 * text.length);
    expect(digestsOfText(text).length).toBeLessThan(text.length);
  });

  it('evidence counts every piece', () => {
    const pieces = 300_000;
    const found = recognise(json(taskRow({ evidence: Array.from({ length: pieces }, () => 0) })));
    expect(found.count).toBe(pieces + 1);
    const [task] = found;
    expect(task).toMatchObject({ kind: 'task', evidenceCount: pieces });
  });
});
