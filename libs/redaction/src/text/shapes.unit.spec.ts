import { redactText } from '../plain.js';
import { fakePem, KEY, redactFree, redactJson } from '../spec-support.js';
import { redactRecord } from '../record/redact-record.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const jwt = `eyJ${base64('hbGciOiJIUzI1NiJ9').replace(/=/g, '')}.eyJ${base64('{"FAKE":1}').replace(/=/g, '')}.FAKEsignature_12-3`;
const RUN = 'FAKE0123456789abcdefghijklmnopqrstuv';

/** Shapes that are secrets wherever they stand (case 41): the text, and the parts of it that must not be seen again. */
const SHAPES: readonly (readonly [name: string, text: string, secrets: readonly string[]])[] = [
  ['a URL with a password', 'postgres://ann:FAKEpass123@db.example:5432/app', ['FAKEpass123']],
  ['a URL with a slash in the password', 'redis://:FAKE/pa/ss1@cache/0', ['FAKE/pa/ss1']],
  ['a URL with a token for a user', 'https://FAKE0123456789abcdef0123@git.example/x.git', ['FAKE0123456789abcdef0123']],
  ['a query', 'https://api.example/v1?user=ann&password=FAKEquery1&x=2', ['FAKEquery1']],
  ['a presigned URL', `https://b.example/o?X-Amz-Signature=${'fa4e'.repeat(16)}&x=1`, ['fa4efa4e']],
  ['a DSN', 'Server=db;User Id=ann;Password=FAKEdsn1;Encrypt=true', ['FAKEdsn1']],
  ['an account key of Azure', 'AccountName=a;AccountKey=FAKEkey+/8==;EndpointSuffix=core', ['FAKEkey+/8']],
  ['a bearer header', 'Authorization: Bearer FAKEbearer.1-2_3', ['FAKEbearer.1-2_3']],
  ['a basic header', `authorization: Basic ${base64('ann:FAKEbasic1')}`, [base64('ann:FAKEbasic1')]],
  ['a digest header', 'Authorization: Digest username="ann", realm="r", response="FAKE6629fae49393a05397450978507c4e"', ['FAKE6629']],
  [
    'a signature of AWS',
    'Authorization: AWS4-HMAC-SHA256 Credential=AKIAFAKE000000000000/x, Signature=FAKEfe5f80f77d5fa3beca038a2',
    ['FAKEfe5f', 'AKIAFAKE'],
  ],
  ['a cookie header', 'Cookie: theme=dark; sid=FAKEsid12345', ['FAKEsid12345']],
  ['a bare bearer token', 'sent bearer FAKEbare1token to it', ['FAKEbare1token']],
  ['bare basic credentials', `sent Basic ${base64('ann:FAKEbasic2')}`, [base64('ann:FAKEbasic2')]],
  ['a JSON Web Token', `got ${jwt} back`, [jwt.slice(0, 20), 'FAKEsignature']],
  ['a private key', `${fakePem()}\nafter`, ['MIIFAKE', 'KeyLine', 'FAKEend']],
  ['a private key without its end', fakePem().split('\n').slice(0, -2).join('\n'), ['MIIFAKE', 'KeyLine']],
  ['an indented private key', fakePem(4, 'PRIVATE KEY').replace(/^/gm, '    '), ['MIIFAKE', 'KeyLine', 'FAKEend']],
  [
    'a private key with line numbers',
    fakePem()
      .split('\n')
      .map((line, at) => `${String(at + 1).padStart(4)}\t${line}`)
      .join('\n'),
    ['MIIFAKE', 'KeyLine'],
  ],
  [
    'the end of a private key',
    fakePem()
      .split('\n')
      .slice(2)
      .map((line, at) => `${String(at)}: ${line}`)
      .join('\n'),
    ['MIIFAKE', 'KeyLine'],
  ],
  ['a private key on one line', fakePem().replaceAll('\n', '\\n'), ['MIIFAKE', 'KeyLine', 'FAKEend']],
  ['an assignment in a shell', 'export GITHUB_TOKEN=FAKEshell1 && npm ci', ['FAKEshell1']],
  ['an option', 'login --user ann --password FAKEoption1 --force', ['FAKEoption1']],
  ['a quoted option', "login --api-key 'FAKE option 2' x", ['FAKE option 2']],
  ['curl', 'curl -s -u ann:FAKEcurl1 https://x', ['FAKEcurl1']],
  ['a header of curl', "curl -H 'X-Api-Key: FAKEheader1' https://x", ['FAKEheader1']],
  ['YAML', 'db:\n  user: ann\n  password: FAKEyaml1\n', ['FAKEyaml1']],
  ['a program', "client = Client(user, api_key='FAKEcode1')", ['FAKEcode1']],
  ['a program with types', 'const token: string = "FAKEcode2";', ['FAKEcode2']],
  ['an index', 'os.environ["DB_PASSWORD"] = "FAKEcode3"', ['FAKEcode3']],
  ['an arrow', "'password' => 'FAKEcode4',", ['FAKEcode4']],
  ['markup', '<user>ann</user><password>FAKExml1</password>', ['FAKExml1']],
  ['SQL', "ALTER USER ann PASSWORD 'FAKEsql1';", ['FAKEsql1']],
  ['netrc', 'machine h login ann password FAKEnetrc1', ['FAKEnetrc1']],
  ['an attribute beside its name', '<add key="Db.Password" value="FAKEattr1"/>', ['FAKEattr1']],
  ['a list of headers that was cut', '[{"name":"Accept","value":"x"},{"name":"X-Api-Key","value":"FAKElist1', ['FAKElist1']],
  ['an npm file', '//registry.example/:_authToken=FAKEnpmrc1', ['FAKEnpmrc1']],
  ['the auth of a registry', `{"auths":{"h":{"auth":"${base64('ann:FAKEreg1')}"}},`, [base64('ann:FAKEreg1')]],
  ['words', 'your API key: FAKEwords1', ['FAKEwords1']],
  ['Java', 'User{name=ann, password=FAKEjava1}', ['FAKEjava1']],
  ['a webhook', 'https://hooks.slack.com/services/T000/B000/FAKEhook0123456789', ['FAKEhook']],
  ['a bot token', 'https://api.telegram.org/bot1234567890:AAFAKE-0123456789abcdefghijklmnopqr/getMe', ['AAFAKE']],
  ['a key of ours', `cfk_3f2a_${RUN}1234567`, [RUN]],
  ['an AGE key', 'AGE-SECRET-KEY-1FAKE0123456789ABCDEFGH', ['1FAKE0123']],
  ...[
    'sk-',
    'sk-proj-',
    'sk_live_',
    'ghp_',
    'gho_',
    'github_pat_',
    'glpat-',
    'xoxb-',
    'npm_',
    'pypi-',
    'SG.',
    'hf_',
    'AIza',
    'GOCSPX-',
    'hvs.',
    'dckr_pat_',
    'shpat_',
  ].map((prefix) => [`a token that begins with ${prefix}`, `x ${prefix}${RUN} y`, [RUN]] as const),
];

const escapedTimes = (text: string, times: number): string => {
  let out = text;
  for (let at = 0; at < times; at++) out = JSON.stringify({ v: out });
  return out;
};

const CARRIERS: readonly (readonly [name: string, carry: (text: string) => string])[] = [
  ['plain text', (text) => redactFree(text).payload.json],
  ['a line of a log', (text) => redactFree(`12:00 INFO before\n${text}\nafter`).payload.json],
  ['a JSON value', (text) => redactJson(JSON.stringify({ a: [text] })).payload.json],
  ...[2, 3, 5].map(
    (times) => [`JSON in JSON, ${String(times)} levels`, (text: string) => redactJson(escapedTimes(text, times)).payload.json] as const,
  ),
  ['JSON that was cut', (text) => redactFree(JSON.stringify({ a: 1, v: text }).slice(0, -2)).payload.json],
  ['JSON in JSON that was cut', (text) => redactFree(JSON.stringify(JSON.stringify({ a: 1, v: text })).slice(0, -4)).payload.json],
];

describe.each(SHAPES)('%s', (_name, text, secrets) => {
  it.each(CARRIERS)('in %s', (_carrier, carry) => {
    const json = carry(text);
    expect(() => JSON.parse(json) as unknown).not.toThrow();
    for (const secret of secrets) expect(json).not.toContain(secret);
    expect(json).toMatch(/\[redacted:[a-z0-9._]+:[0-9]+\]/);
  });

  it('is not kept in what is learned, and goes out of the error text beside it', () => {
    const { payloads, learned } = redactRecord(
      {
        arguments: { kind: 'json', text: JSON.stringify({ a: text }) },
        error: { kind: 'text', text: `refused: ${secrets.join(' and ')}.` },
      },
      { key: KEY, known: [] },
    );
    for (const secret of secrets) expect(JSON.stringify(learned)).not.toContain(secret);
    const whole = secrets.filter((secret) => text.includes(` ${secret} `) || text.endsWith(`=${secret}`));
    for (const secret of whole) expect(payloads.error?.json).not.toContain(secret);
  });
});

describe('what is not the secret stays', () => {
  it.each([
    ['https://ann:FAKEp1@h/x?token=FAKEt1&y=2#z', 'https://ann:[redacted:url.password:6]@h/x?token=[redacted:text.token:6]&y=2#z'],
    [
      "curl -H 'Authorization: Bearer FAKEb123' -d '{}' https://x",
      "curl -H 'Authorization: Bearer [redacted:header.authorization:8]' -d '{}' https://x",
    ],
    ['(password=FAKEp1), {token: FAKEt1}', '(password=[redacted:text.password:6]), {token: [redacted:text.token:6]}'],
    ['Authorization: Bearer FAKEb123\nAccept: */*', 'Authorization: Bearer [redacted:header.authorization:8]\nAccept: */*'],
    [
      'docker login -p x --password-stdin --password FAKEp1; ls',
      'docker login -p x --password-stdin --password [redacted:option.password:6]; ls',
    ],
    ['password: FAKEp1, user: ann', 'password: [redacted:text.password:6], user: ann'],
  ])('%s', (text, expected) => {
    expect(JSON.parse(redactFree(text).payload.json)).toBe(expected);
  });
});

describe('a mark behind curl -u was taken for user and password, and redacted again', () => {
  it.each([
    'curl -u [redacted:key.token:4]',
    'curl -u "[redacted:key.token:4]" x',
    'wget --user=[redacted:a.b:4] -u [redacted:key.token:4]:',
  ])('%s stays', (text) => {
    expect(redactText(text)).toBe(text);
  });

  it('a password behind a mark is still one', () => {
    expect(redactText('curl -u [redacted:key.token:4]:FAKEpass7xQ9 h')).not.toContain('FAKEpass7xQ9');
  });
});
