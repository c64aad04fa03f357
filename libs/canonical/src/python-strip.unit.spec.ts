import { pythonStrip } from './python-strip.js';

/** Where Python 3's `str.isspace` is true, by its Unicode tables. */
const BLANKS = [
  0x9, 0xa, 0xb, 0xc, 0xd, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007,
  0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
];

describe('pythonStrip', () => {
  it('takes away exactly what Python takes for blank, on both sides', () => {
    for (let unit = 0; unit < 0x10000; unit++) {
      const blank = String.fromCharCode(unit);
      expect([unit, pythonStrip(`${blank}x${blank}`)]).toEqual([unit, BLANKS.includes(unit) ? 'x' : `${blank}x${blank}`]);
    }
  });

  it('leaves what stands between, and nothing of what is blank', () => {
    expect(pythonStrip(' a b\u00a0c\t')).toBe('a b\u00a0c');
    expect(pythonStrip(' \u2003\n')).toBe('');
    expect(pythonStrip('')).toBe('');
  });

  it('takes a time that grows with the text, however many blanks stand in it', () => {
    const text = `${' '.repeat(200_000)}x${' '.repeat(200_000)}y`;
    expect(pythonStrip(text)).toBe(text.trim());
  });
});
