import type { Page } from '@counterfoil/contracts';
import { safeDisplay } from '@counterfoil/redaction';

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** As JSON that holds the same values, with every character that doesn't show, or that turns others around, as an escape (case 23). */
export function printJson(value: unknown): void {
  print(
    JSON.stringify(value, null, 2).replaceAll(/[^\n -~]/gu, (character) =>
      safeDisplay(character) === character ? character : escaped(character),
    ),
  );
}

/** JSON spells characters beyond U+FFFF as two escapes. */
const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

/** On the error stream, so that piped output stays clean. On a terminal it rewrites its own line. */
export function printProgress(line: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[2K${line}` : `${line}\n`);
}

export function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\n');
}

/**
 * A plain table. What stands in a cell came from agents: invisible and direction-changing characters are spelled out (case 23), and a
 * long cell is cut with a mark.
 */
export function table(head: readonly string[], rows: readonly (readonly (string | null)[])[], widest = 44): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => clip(safeDisplay((cell ?? '-').replaceAll(/\s+/g, ' ')), widest)));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => length(row[column] ?? ''))));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - length(cell)))
      .join('  ')
      .trimEnd();
  const [first, ...others] = cells;
  return [line(first ?? []), widths.map((width) => '-'.repeat(width)).join('  '), ...others.map(line)].join('\n');
}

const length = (text: string): number => Array.from(text).length;

function clip(text: string, widest: number): string {
  const characters = Array.from(text);
  return characters.length <= widest ? text : `${characters.slice(0, widest - 1).join('')}…`;
}

/** The query string of the options that were given, with its question mark; empty without any. */
export function queryOf(options: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(options).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

/** Says of a list that something is missing from it; on the error stream, so that piped output stays clean. */
export function warnIncomplete(incomplete: Page<unknown>['incomplete']): void {
  if (incomplete === undefined) return;
  process.stderr.write(`This list is incomplete (${incomplete}): an event of the workspace cannot be projected. Tell the operator.\n`);
}

/** A page as a table, with what is missing from it, and how to go on. */
export function printPage(shown: string, { nextCursor, incomplete }: Omit<Page<unknown>, 'items' | 'position'>): void {
  print(shown);
  warnIncomplete(incomplete);
  if (nextCursor !== null) print(`\nMore: --cursor ${nextCursor}`);
}

/** `1 min 20 s`; a dash when it can't be told. */
export function duration(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) return '-';
  const whole = Math.max(0, Math.round(seconds));
  return whole < 60 ? `${String(whole)} s` : `${String(Math.floor(whole / 60))} min ${String(whole % 60)} s`;
}
