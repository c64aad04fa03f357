import { ChainLinks } from './chain-links.js';

const hashOf = (n: number): string => n.toString(16).padStart(64, '0');

describe('the last links of all streams', () => {
  it('are kept through growth and replacement', () => {
    const links = new ChainLinks();
    for (let n = 0; n < 5000; n++) links.set(`s${n}`, { revision: BigInt(n), hash: hashOf(n) });
    links.set('s7', { revision: 2n ** 62n, hash: hashOf(70007) });
    expect(links.size).toBe(5000);
    expect(links.get('s7')).toEqual({ revision: 2n ** 62n, hash: hashOf(70007) });
    expect(links.get('s4999')).toEqual({ revision: 4999n, hash: hashOf(4999) });
    expect(links.get('s5000')).toBeNull();
  });

  it('find the streams of a hash', () => {
    const links = new ChainLinks();
    links.set('a', { revision: 0n, hash: hashOf(1) });
    links.set('b', { revision: 3n, hash: hashOf(2) });
    expect([links.streamsAt(hashOf(2)), links.streamsAt(hashOf(3)), links.streamsAt('no hash')]).toEqual([['b'], [], []]);
  });

  it('match no link after a hash that is none', () => {
    const links = new ChainLinks();
    links.set('a', { revision: 0n, hash: hashOf(1) });
    links.set('a', { revision: 1n, hash: 'no hash' });
    expect(links.get('a')).toEqual({ revision: 1n, hash: '0'.repeat(64) });
  });
});
