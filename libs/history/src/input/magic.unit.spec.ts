import { beginningOf } from './magic.js';

describe('beginningOf', () => {
  it.each<[string, Buffer, unknown]>([
    ['gzip', Buffer.from([0x1f, 0x8b, 8]), 'gzip'],
    ['a database', Buffer.from('SQLite format 3\0'), 'sqlite'],
    ['zip', Buffer.from('PK\u0003\u0004more'), { refused: 'compressed by zip' }],
    ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]), { refused: 'compressed by zstd' }],
    ['UTF-16 with a mark', Buffer.from('\ufeff{}', 'utf16le'), { refused: 'UTF-16' }],
    ['UTF-16 with a mark, big-endian', Buffer.from('\ufeff{}', 'utf16le').swap16(), { refused: 'UTF-16' }],
    ['UTF-16 without one', Buffer.from('{"a":1}', 'utf16le'), { refused: 'UTF-16' }],
    ['UTF-16 without one, big-endian', Buffer.from('[1]', 'utf16le').swap16(), { refused: 'UTF-16' }],
    ['text', Buffer.from('{"a":1}'), 'text'],
    ['text with a mark', Buffer.from('\ufeff{}'), 'text'],
    ['words that begin like a name of a container', Buffer.from('SQLite format 4 and PK'), 'text'],
    ['a text of NULs', Buffer.alloc(16), 'text'],
    ['one byte', Buffer.from('4'), 'text'],
    ['nothing', Buffer.alloc(0), 'text'],
  ])('knows %s', (_, bytes, expected) => {
    expect(beginningOf(bytes)).toEqual(expected);
  });
});
