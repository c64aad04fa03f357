import { redactFree, redactJson } from '../spec-support.js';

type Method = (this: unknown, ...rest: unknown[]) => unknown;

/** What a call of a string's method costs: as many steps as characters it has to look at. */
const COSTS: Readonly<Record<string, (text: string, result: unknown, args: readonly unknown[]) => number>> = {
  charCodeAt: () => 1,
  charAt: () => 1,
  startsWith: () => 1,
  slice: (_, result) => String(result).length,
  includes: (text) => text.length,
  endsWith: () => 1,
  indexOf: (text, result, args) => (result === -1 ? text.length : Number(result)) - Number(args[1] ?? 0),
  lastIndexOf: (text) => text.length,
};

/**
 * Counts the steps of a run by standing in front of the methods by which our scanners look at text. Patterns are not counted: each
 * is bounded by itself, and is given a slice or one place.
 */
function stepsOf(run: () => void): number {
  let steps = 0;
  const originals = Object.keys(COSTS).map((name) => [name, Reflect.get(String.prototype, name) as Method] as const);
  for (const [name, original] of originals) {
    const cost = COSTS[name];
    Reflect.set(String.prototype, name, function counted(this: string, ...args: unknown[]): unknown {
      const result = Reflect.apply(original, this, args);
      steps += cost?.(this, result, args) ?? 0;
      return result;
    });
  }
  try {
    run();
  } finally {
    for (const [name, original] of originals) Reflect.set(String.prototype, name, original);
  }
  return steps;
}

const repeated = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

// Case 45: single characters, beginnings of patterns without their ends, near misses, and many findings.
const UNITS = [
  ...['a', 'A', '0', '=', ':', '"', "'", '`', '\\', '-', '@', '[', '<', '…', '😀', '\0', '\n', ' ', '{', '('],
  ...['a=', '==', '::', '://', '\\n', '\\"', '\\\\"', '"\\', '{"', '":"', '--', '%20', '&x=', '</', '${', '[['],
  ...['eyJ', 'eyJ.', 'eyJhbGciOiJI.', '-----BEGIN ', '-----END ', '-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----'],
  ...['sk-', 'sk-a', 'ghp_', 'SG.', 'AKIA', 'AKIAFAKE1234567890AB ', 'xoxb-', 'hf_', 'https://', 'x://a:b', 'x://a:b@', 'x://@'],
  ...[
    'token=',
    'token==',
    'token:',
    'token: ',
    'token = ',
    'token=a(',
    "token='",
    'token="',
    'token=\\"',
    '"token":',
    '"token":[',
    '"token":{"',
  ],
  ...[
    'Bearer ',
    'Bearer a',
    'Basic AAAA',
    'Cookie: ',
    'cookie:a=',
    'Cookie: a="',
    'Authorization: ',
    'Authorization: x a=',
    'password=)))',
  ],
  ...[
    '-u ',
    'curl -u ',
    ' --token ',
    ' --token x',
    '<token>',
    '<password>a',
    "user password '",
    'name: ',
    '"name":"token","value":',
    '"value":',
  ],
  ...[
    '[redacted:',
    '[redacted:a:1]',
    '…[cut: ',
    '?sig=aaaaaaaa',
    '1234567890:AA',
    'token: str = ',
    'export A_TOKEN=FAKEa1 ',
    'key key key: ',
  ],
  ...['AAAAAAAAAAAAAAAAAAAA\n', 'AAAAAAAAAAAAAAAAAAAA\n-----END PRIVATE KEY-----', 'discord.com/api/webhooks/', 'FAKE1,', '\u001b[31m'],
];
const SIZE = 8000;

describe('four times the text takes about four times the steps', () => {
  it.each(UNITS)('%j', (unit) => {
    const limit = 1 << 24;
    const few = stepsOf(() => redactFree(repeated(unit, SIZE), limit));
    const many = stepsOf(() => redactFree(repeated(unit, SIZE * 4), limit));
    // Windows that are bounded, but longer than the shorter text, may show as more than linear: then it must be cheap.
    expect(many).toBeLessThan(Math.max(few * 5.5, SIZE * 4 * 150));
    expect(many).toBeLessThan(SIZE * 4 * 700);
  });

  it.each([
    [
      'secrets in an array',
      (n: number): string => JSON.stringify(Array.from({ length: n }, (_, at) => ({ token: `FAKE${String(at)}token` }))),
    ],
    ['secrets within secrets', (n: number): string => `${'{"token":'.repeat(n)}"FAKEa1"${'}'.repeat(n)}`],
    ['pairs within pairs', (n: number): string => `${'{"name":"token","value":'.repeat(n)}"FAKEa1"${'}'.repeat(n)}`],
    ['arrays', (n: number): string => `${'['.repeat(n * 4)}"password=FAKEa1"${']'.repeat(n * 4)}`],
    ['strings of JSON', (n: number): string => JSON.stringify(Array.from({ length: n }, () => '{"a":["b"]}'))],
    ['strings that begin like JSON', (n: number): string => JSON.stringify(Array.from({ length: n }, () => '{"a":["b"}'))],
  ])('%s', (_name, make) => {
    const limit = 1 << 24;
    const few = stepsOf(() => redactJson(make(400), limit));
    const many = stepsOf(() => redactJson(make(1600), limit));
    expect(many).toBeLessThan(few * 5.5 + 50_000);
  });

  it.each([
    ['strings', (n: number): string => JSON.stringify(Array.from({ length: n }, () => 'x'.repeat(100)))],
    [
      'members',
      (n: number): string => JSON.stringify(Object.fromEntries(Array.from({ length: n }, (_, at) => [`é${String(at)}`, [at, [at]]]))),
    ],
    ['levels', (n: number): string => `${'['.repeat(n)}"é",1,2${',1,2]'.repeat(n)}`],
  ])('of cutting %s', (_name, make) => {
    const few = stepsOf(() => redactJson(make(1000), 2000));
    const many = stepsOf(() => redactJson(make(4000), 2000));
    expect(many).toBeLessThan(few * 5.5 + 100_000);
  });

  it('of looking for what a session knows', () => {
    const { learned } = redactJson(JSON.stringify(Array.from({ length: 100 }, (_, at) => ({ token: `FAKEFAKEFAKE${String(at)}` }))));
    const few = stepsOf(() => redactFree(repeated('FAKE', SIZE), undefined, learned));
    const many = stepsOf(() => redactFree(repeated('FAKE', SIZE * 4), undefined, learned));
    expect(many).toBeLessThan(few * 5.5 + 50_000);
  });
});
