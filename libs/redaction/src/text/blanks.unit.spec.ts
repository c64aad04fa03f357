import { redactText } from '../plain.js';

const SECRET = 'FAKEq00Z777xPwLm9Kt7Rv';
const BLANKS = '\t\v\f\u001c\u001d\u001e\u001f \u0085\u00a0\u1680\u2000\u2003\u2009\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeff';

describe('a secret behind a sign with blanks around it that are not those of ASCII was left in', () => {
  it.each(Array.from(BLANKS, (blank) => [`U+${blank.charCodeAt(0).toString(16).padStart(4, '0')}`, blank] as const))(
    '%s',
    (_name, blank) => {
      for (const text of [
        `password${blank}=${SECRET}`,
        `password=${blank}${SECRET}`,
        `password${blank}=${blank}${SECRET} and more`,
        `my_token${blank}:${blank}${SECRET}`,
        `"token"${blank}:${blank}"${SECRET}"`,
        `sent Bearer${blank}${SECRET} there`,
        `Authorization: Token${blank}${SECRET}`,
      ]) {
        const once = redactText(text);
        expect([text, once]).toEqual([text, expect.not.stringContaining(SECRET)]);
        expect(redactText(once)).toBe(once);
      }
    },
  );

  it.each([
    ['line breaks around an equals sign', `password\n=\n${SECRET}`],
    ['a line break of Windows', `secret \t=\r\n${SECRET}`],
    ['the equals sign of an East Asian keyboard', `password\uff1d${SECRET}`],
    ['its colon', `api_key\uff1a ${SECRET}`],
  ])('%s', (_name, text) => {
    const once = redactText(text);
    expect(once).not.toContain(SECRET);
    expect(redactText(once)).toBe(once);
  });

  it.each(['the password\nis long', 'token ==\nother', 'Password\n========\ntext', 'password:\nnext line', 'x\uff1d1', 'note\uff1a hello'])(
    'what is none stays: %j',
    (text) => {
      expect(redactText(text)).toBe(text);
    },
  );
});
