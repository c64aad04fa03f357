import { readFileSync } from 'node:fs';
import { PROBLEMS } from './problems.js';

describe('docs/errors.md', () => {
  const text = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const table = text.slice(text.indexOf('## Problems'), text.indexOf('## Recorded rejections'));
  const rows = table.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| code') && !line.startsWith('| ---'));

  it('lists every problem code with its status, title, advice and whether a retry helps', () => {
    const listed = rows.map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    const expected = Object.entries(PROBLEMS).map(([code, kind]) => [
      code,
      String(kind.status),
      kind.title,
      kind.advice,
      kind.retryable ? 'yes' : 'no',
    ]);
    expect(listed).toEqual(expected);
  });

  it('gives a retryable answer only where sending the same again can succeed', () => {
    const retryable = Object.values(PROBLEMS).filter((kind) => kind.retryable);
    expect(retryable.length).toBeGreaterThan(0);
    for (const kind of retryable) expect(kind.status).toBe(503);
  });
});
