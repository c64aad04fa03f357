import { nested, redactFree, redactJson, textOf } from '../spec-support.js';

const redacted = (text: string): string => textOf(redactFree(text).payload);

// Case 43: a rule that works on serialised JSON eats a closing quote or a backslash, and the line parses no more.
describe('quotes and backslashes', () => {
  it.each([
    ['password=\\\\', 'password=\\\\'],
    ['token=xy\\z\\', 'token=[redacted:text.token:5]'],
    ['"cmd":"login password=FAKE1x","n":1', '"cmd":"login password=[redacted:text.password:6]","n":1'],
    ['"cmd":"login password=FAKE1x\\\\","n":1', '"cmd":"login password=[redacted:text.password:6]\\\\","n":1'],
    ['{\\"cmd\\":\\"login password=FAKE1x\\",\\"n\\":1', '{\\"cmd\\":\\"login password=[redacted:text.password:6]\\",\\"n\\":1'],
    ['"password":"FAKE\\\\","n":1', '"password":"[redacted:text.password:6]","n":1'],
    ['"password":"FA\\"KE","n":1', '"password":"[redacted:text.password:6]","n":1'],
    ['\\"password\\":\\"FA\\\\\\"KE\\",\\"n\\":1', '\\"password\\":\\"[redacted:text.password:8]\\",\\"n\\":1'],
    ["login --token 'FAKE\\' --next", "login --token '[redacted:option.token:5]' --next"],
    ["{'password': 'FAKE\\'x1', 'n': 1}", "{'password': '[redacted:text.password:8]', 'n': 1}"],
    ['password="FAKE', 'password="[redacted:text.password:4]'],
    ['password="FAKE1\nnext line', 'password="[redacted:text.password:5]\nnext line'],
  ])('%j', (text, expected) => {
    expect(redacted(text)).toBe(expected);
  });

  it.each([0, 1, 2, 3, 4])('a value that ends in a backslash, %i times encoded', (times) => {
    for (const value of ['FAKEx\\', 'FAKEx\\\\', '\\FAKEx', 'FA"KEx', 'FAKEx"', '\\', '"', '\n']) {
      const text = nested(JSON.stringify({ cmd: `login password=${value}`, token: value }), times);
      const { payload } = redactJson(text);
      let parsed: unknown = JSON.parse(payload.json);
      for (let level = 0; level < times; level++) parsed = JSON.parse(parsed as string);
      expect(Object.keys(parsed as object)).toEqual(['cmd', 'token']);
      if (/[A-Z]/.test(value)) expect(payload.json).not.toMatch(/FAKEx/);
    }
  });
});
