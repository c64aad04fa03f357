import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { SourceItem } from '../import/source-item.js';
import { TextItems } from './text-items.js';

const LIMIT = 1024 * 1024;

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string | Buffer, limit = LIMIT): Promise<{ items: SourceItem[]; container: string }> {
  const reader = new TextItems(limit, undefined);
  const items: SourceItem[] = [];
  for await (const item of reader.read(chunksOf(Buffer.from(text), 7919))) items.push(item);
  return { items, container: reader.container };
}

/** Texts of the records, with `<blank>` and `<overlong>` for the others. */
async function texts(text: string | Buffer, limit = LIMIT): Promise<string[]> {
  return (await read(text, limit)).items.map((item) => (item.kind === 'record' ? item.text : `<${item.kind}>`));
}

/** Each place must be where the record's text stands in the input. */
async function expectPlaces(text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (const item of (await read(text)).items) {
    if (item.kind !== 'record') continue;
    const { line, byteOffset } = item.place;
    const at = byteOffset ?? -1;
    expect(
      bytes
        .subarray(at)
        .toString()
        .replaceAll('\r\n', '\n')
        .replace(/^\ufeff/, '')
        .startsWith(item.text),
    ).toBe(true);
    expect(line).toBe(bytes.subarray(0, at).toString().split('\n').length);
  }
}

describe('TextItems: lines', () => {
  it('gives each line by itself, and blank ones as blank', async () => {
    expect(await texts('{"a":1}\n\n  \t\n{"b":2}\r\n42\n"x"\n')).toEqual(['{"a":1}', '<blank>', '<blank>', '{"b":2}', '42', '"x"']);
    expect((await read('{"a":1}\n{"b":2}')).container).toBe('lines');
  });

  it('takes lines that are no JSON each for itself, wherever they stand', async () => {
    const lines = [
      'Exported by hand',
      '{"a":1}',
      '[2026-01-02] started',
      '{"cut": "in a str',
      '{"b":{"c":2}}',
      '{',
      '{"d":3}',
      '} x',
      '{"e"',
    ];
    expect(await texts(lines.join('\n'))).toEqual(lines);
  });

  it('takes lines on behind one that was cut anywhere', async () => {
    const whole = '{"id":"e","payload":{"a":[1,{"b":null}],"c":"x\\"y"},"n":-1.5e3}';
    for (let at = 1; at < whole.length; at++) {
      const cut = whole.slice(0, at);
      const found = await texts([cut, whole, whole].join('\n'));
      // Where a value is due the next line is one; what follows shows that it was none.
      expect(found).toEqual([cut, whole, whole]);
    }
  });

  it('keeps the spelling of a line, and the mark at the beginning out of it', async () => {
    expect(await texts('\ufeff  {"n":1.0, "n":1e400}  \n{"a":1}')).toEqual(['{"n":1.0, "n":1e400}', '{"a":1}']);
  });
});

describe('TextItems: documents', () => {
  const one = { id: 'a', payload: { list: [1, 2, { deep: 'x]}' }], text: 'say "{" \\ and\n' } };
  const two = { id: 'b', payload: {} };

  it.each([1, 2, 4, '\t'])('gives each document of several behind each other, indented by %j', async (indent) => {
    const [a, b] = [JSON.stringify(one, null, indent), JSON.stringify(two, null, indent)];
    expect(await texts(`${a}\n${b}\n`)).toEqual([a, b]);
    expect(await texts(`\n${a}\n\n${b}`)).toEqual(['<blank>', a, '<blank>', b]);
    expect((await read(a)).container).toBe('document');
    await expectPlaces(`\ufeff${a}\r\n${b.replaceAll('\n', '\r\n')}\r\n`);
  });

  it('gives the elements of an array, over many lines or on one, each as it is spelled', async () => {
    const elements = ['{"a": 1.0, "a": 2}', '[1]', '"x"', '9007199254740993', 'NaN', 'null'];
    for (const text of [`[${elements.join(',')}]`, `[\n  ${elements.join(',\n  ')}\n]`, `[\n${elements.join('\n,\n')}\n]\n`]) {
      expect(await texts(text)).toEqual(elements);
      expect((await read(text)).container).toBe('document');
      await expectPlaces(text);
    }
    expect(await texts('[]')).toEqual([]);
    expect(await texts('[\n]\n{"a":1}')).toEqual(['{"a":1}']);
  });

  it('gives what JSON.parse gives, for any values in any indentation', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue({ maxDepth: 4 })), fc.constantFrom(0, 1, 2, '\t'), async (values, indent) => {
        const found = await texts(JSON.stringify(values, null, indent));
        expect(found.map((text) => JSON.parse(text) as unknown)).toEqual(JSON.parse(JSON.stringify(values)));
      }),
      { numRuns: 200 },
    );
  });

  it('gives objects that stand behind each other on one line, or begin where another ends', async () => {
    expect(await texts('{"a":1}{"b":2} [3]')).toEqual(['{"a":1}', '{"b":2}', '3']);
    expect(await texts('{\n"a":1\n}{\n"b":2\n}\n{"c":3}')).toEqual(['{\n"a":1\n}', '{\n"b":2\n}', '{"c":3}']);
    expect(await texts('[\n{"a":1\n}, {"b":2\n}, {\n"c":3}]')).toEqual(['{"a":1\n}', '{"b":2\n}', '{\n"c":3}']);
    expect(await texts('{"a":{"b":1}\n,"c":2}')).toEqual(['{"a":{"b":1}\n,"c":2}']);
  });

  it('finds documents behind lines, and lines behind documents', async () => {
    const a = JSON.stringify(one, null, 2);
    expect(await texts(`{"x":1}\nnonsense\n${a}\n{"y":2}\n{"z":3}`)).toEqual(['{"x":1}', 'nonsense', a, '{"y":2}', '{"z":3}']);
  });

  it('takes one that is cut as its lines, and reads on where the next begins', async () => {
    const whole = JSON.stringify(two, null, 2);
    expect(await texts(`{\n"a": 1,\n{\n"b": 2\n}\n${whole}`)).toEqual(['{', '"a": 1,', '{\n"b": 2\n}', whole]);
    expect(await texts('{\n\n"a": "not closed\n}')).toEqual(['{', '<blank>', '"a": "not closed', '}']);
    expect(await texts('{\n"a": 1')).toEqual(['{', '"a": 1']);
  });

  it('gives the elements before the place where an array is cut, and then its lines', async () => {
    expect(await texts('[\n{"a":1},\n{"b":2},\n{"c":')).toEqual(['{"a":1}', '{"b":2}', '{"c":']);
    expect(await texts('[\n{"a":1},\n{\n"b":2\n')).toEqual(['{"a":1}', '{', '"b":2']);
    expect(await texts('[\n{"a":1}\n{"b":2}\n]')).toEqual(['{"a":1}', '{"b":2}', ']']);
    expect(await texts('[{"a":1}, oops]\n{"b":2}')).toEqual(['[{"a":1}, oops]', '{"b":2}']);
  });

  it('marks bytes that are no UTF-8 in the record in which they stand, and no other', async () => {
    const text = Buffer.concat([Buffer.from('[\n{"a":"x"},\n{"b":"'), Buffer.from([0xff]), Buffer.from('"},\n{"c":1}]')]);
    const { items } = await read(text);
    expect(items.map((item) => item.kind === 'record' && item.invalidUtf8)).toEqual([false, true, false]);
  });
});

describe('TextItems: bounds', () => {
  const limit = 1000;
  const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

  it('gives a line over the limit by digest and beginning, also in the middle of a document', async () => {
    const long = `{"x":"${'y'.repeat(limit)}"}`;
    expect(await texts(`{"a":1}\n${long}\n{"b":2}`, limit)).toEqual(['{"a":1}', '<overlong>', '{"b":2}']);
    expect(await texts(`{\n${long}\n{"b":2}`, limit)).toEqual(['{', '<overlong>', '{"b":2}']);
  });

  it('gives a document over the limit as one, with the digest of its text', async () => {
    const long = JSON.stringify({ list: Array.from({ length: 500 }, (_, n) => n) }, null, 1);
    const { items } = await read(`{"a":1}\n${long}\n{"b":2}`, limit);
    expect(items[1]).toMatchObject({ kind: 'overlong', length: long.length, sha256: sha(long), place: { line: 2, byteOffset: 8 } });
    expect(items.map(({ kind }) => kind)).toEqual(['record', 'overlong', 'record']);
    expect(await texts(`[\n${long},\n{"b":2}\n]`, limit)).toEqual(['<overlong>', '{"b":2}']);
    // As one also where it isn't closed: its lines are not held any more.
    expect(await texts(`${long.slice(0, -5)}\n{"b":2}`, limit)).toEqual(['<overlong>', '{"b":2}']);
  });

  it('holds an array by its elements, however long it is', async () => {
    const elements = Array.from({ length: 5000 }, (_, n) => JSON.stringify({ n }, null, 1));
    expect(await texts(`[\n${elements.join(',\n')}\n]`, limit)).toEqual(elements);
  });

  it('gives up a document that begins with nothing but blanks for ever', async () => {
    const found = await texts(`[\n${'\n'.repeat(5000)}{"a":1}\n`, limit);
    expect(found.filter((text) => text !== '<blank>')).toEqual(['[', '{"a":1}']);
    expect(found).toHaveLength(5002);
  });

  // What could be quadratic takes minutes then; the time limit of a test is its bound.
  it.each<[string, string, number]>([
    ['brackets that never close', '[\n'.repeat(100_000), 100_000],
    ['braces, each on its line', '{\n'.repeat(100_000), 100_000],
    ['closing ones', `{\n${'"k":1,\n'.repeat(100_000)}${'}\n'.repeat(75_000)}`, 175_001],
    ['cut rows', '{"a": 1,\n'.repeat(75_000), 75_000],
    ['one deep line', '['.repeat(900_000), 1],
    ['an array of many numbers', `[${'0,'.repeat(200_000)}0]`, 200_001],
    ['a string of quotes', `{"a":"${'\\"'.repeat(500_000)}\n`.repeat(2), 2],
  ])('takes linear time for %s', async (_, text, count) => {
    const { items } = await read(text, 16 * LIMIT);
    expect(items).toHaveLength(count);
  });
});
