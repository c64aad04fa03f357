import { StreamHeads } from './stream-heads.js';

const head = (position: bigint): { revision: bigint; position: bigint; hash: string } => ({ revision: 0n, position, hash: `h${position}` });

describe('remembered heads', () => {
  it('hold while the newest position is the one that was stored last', () => {
    const heads = new StreamHeads();
    heads.begin(0n);
    heads.set('a', head(1n));
    heads.set('b', head(2n));
    heads.begin(2n);
    expect([heads.get('a'), heads.get('b'), heads.get('c')]).toEqual([head(1n), head(2n), undefined]);
  });

  it('are forgotten when somebody else appended, or a transaction failed', () => {
    const heads = new StreamHeads();
    heads.begin(0n);
    heads.set('a', head(1n));
    heads.begin(5n);
    expect(heads.get('a')).toBeUndefined();
    heads.set('a', head(6n));
    heads.forget();
    heads.begin(0n);
    expect(heads.get('a')).toBeUndefined();
  });

  it('are bounded: the one that was set longest ago goes first', () => {
    const heads = new StreamHeads();
    heads.begin(0n);
    for (let n = 1; n <= 10_000; n++) heads.set(`s${n}`, head(BigInt(n)));
    heads.set('s1', head(10_001n));
    heads.set('new', head(10_002n));
    expect([heads.get('s1'), heads.get('s2'), heads.get('s3')]).toEqual([head(10_001n), undefined, head(3n)]);
  });
});
