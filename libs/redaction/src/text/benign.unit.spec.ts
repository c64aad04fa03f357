import { redactFree, redactJson } from '../spec-support.js';

// Case 48: what is redacted without need makes receipts useless.
const LINES = `
commit da39a3ee5e6b4b0d3255bfef95601890afd80709
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
id 3f2a6c1e-8b1d-4c3a-9f57-0d2f6e1c9b7a and 01ARZ3NDEKTSV4RRFFQ69G5FAV
call_abc123 toolu_01AbCdEfGhIjKlMnOpQrStUv resp_0a1b2c3d4e5f60718293 chatcmpl-9abcDEF
token_count: 1500, max_tokens=4096, total_tokens: 12
tokenizer: cl100k_base tokens: 1 token_type: bearer
password_policy: strong; password_length=12; secret_name: db-main
the password is required
forgot your password?
Error: token: expected a string
SyntaxError: Unexpected token: }
Unexpected token: IDENTIFIER
Password: must be at least 8 characters
password: required
secret: we rotate it every month
authorization: the process of deciding
Basic authentication is used here, and Basic training
a bearer of good news; Bearer authentication
next_page_token=abc123def456 pageToken: xyz cursor=eyJpZCI6MTIzfQ
NextToken: AAAAbbbbCCCC1111 continuation_token=1!48!MDAwMDE
function login(user: string, password: string): Promise<Token> {
def f(token: str, api_key: Optional[str] = None) -> None:
const token = tokens[0].value;
const lastToken = sourceCode.getLastToken(node);
if (password == null || token === undefined) return;
this.password = password; self.token = token
token: InjectionToken,
constructor(token: string): void;
password = os.getenv("DB_PASSWORD")
apiKey: process.env.API_KEY,
password: \${DB_PASSWORD} $DB_PASSWORD
password: {{ vault_password }}
--password <password> --token $TOKEN
use the --token flag, or --password for short
console.log('password:', value)
public_key=ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample
primary_key: id, cache_key: v1:users, idempotency_key: 3f2a6c1e
keyboard: us, author: Ann, key: value, monkey=banana
http://localhost:8080/@scope/pkg https://example.com:443/a@b
git@github.com:org/repo.git ssh://git@github.com/org/repo
docker run -u 1000:1000 -e HOME=/root image
curl -u 1000:1000 https://x
PWD=/home/ann OLDPWD=/tmp
permissions: id-token: write, secrets: inherit
credentials: 'include', credentials: "same-origin"
Send it as Authorization: Bearer <key>.
const API_KEY = /^cfk_[a-z]{1,64}/; readonly secret: Uint8Array;
admin key: \${settings.key === null ? '' : x}
-----BEGIN CERTIFICATE----- -----BEGIN PUBLIC KEY-----
sk-learn-contrib and task-force-one; risk-averse
npm_config_registry npm_lifecycle_event pypi-attestations hf_hub_download
SKU AKIATA, ASIAN, eyJ
base64 dGhpcyBpcyBub3QgYSBzZWNyZXQ=
2026-01-02T03:04:05Z INFO server: request id=7 path=/v1/x status=200 user-agent="x"
`
  .trim()
  .split('\n');

describe('ordinary text stays as it is', () => {
  it.each(LINES)('%s', (line) => {
    const { payload, learned } = redactFree(line);
    expect(payload.redactions).toEqual([]);
    expect(learned).toEqual([]);
    expect(JSON.parse(payload.json)).toBe(line);
  });

  it('all of it at once', () => {
    expect(redactFree(LINES.join('\n')).payload.redactions).toEqual([]);
  });

  it.each([
    '{"token_count":1500,"max_tokens":4096,"tokens":["a","b"],"tokenizer":"bpe","token_type":"bearer"}',
    '{"next_page_token":"abc","nextToken":"def","public_key":"x","key":"k","keyboard":"us","author":"Ann"}',
    '{"password_policy":{"min":8},"has_password":true,"forgot_password":"https://x/reset","secret_name":"db"}',
    '{"type":["VerifiableCredential","AgentReceipt"],"required":["password","email"]}',
    '{"credentials":"include","password":"${DB_PASSWORD}","token":"<your token>","pwd":"/home/ann"}',
    '{"auth":"oauth2","pass":12,"name":"token","values":[]}',
  ])('%s', (text) => {
    const { payload } = redactJson(text);
    expect(payload.json).toBe(text);
    expect(payload.redactions).toEqual([]);
  });
});
