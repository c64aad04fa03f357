import { isDigit, isLetter, isLower, isUpper } from '../text/chars.js';

// Names are judged by their end; what is before it would only cost time.
const LOOKED_AT = 96;

/** Whether a new word begins at `at`: `aB`, and the last capital of `ABc`. */
function breaksAt(name: string, at: number): boolean {
  const code = name.charCodeAt(at);
  const previous = name.charCodeAt(at - 1);
  if (!isUpper(code)) return false;
  return isLower(previous) || isDigit(previous) || (isUpper(previous) && isLower(name.charCodeAt(at + 1)));
}

/**
 * The words of a key name in lower case: `X-Api-Key`, `xApiKey`, `X_API_KEY` and `x api key` are all [x, api, key]. Digits at
 * the end of a word are dropped with words that are nothing else (`password2`, `token_1`).
 */
export function wordsOf(name: string): string[] {
  const text = name.length > LOOKED_AT ? name.slice(-LOOKED_AT) : name;
  const words: string[] = [];
  let start = -1;
  for (let at = 0; at <= text.length; at++) {
    const code = text.charCodeAt(at);
    const inWord = isLetter(code) || isDigit(code) || code >= 0x80;
    if (start !== -1 && (!inWord || breaksAt(text, at))) {
      const word = text
        .slice(start, at)
        .toLowerCase()
        .replace(/[0-9]{1,96}$/, '');
      if (word !== '') words.push(word);
      start = -1;
    }
    if (inWord && start === -1) start = at;
  }
  return words;
}
