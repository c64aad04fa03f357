import { secretKindOf } from '../keys/secret-keys.js';
import { isListedWord } from '../values/placeholders.js';
import { isBlank, runEnd } from './chars.js';

/** How a bare value stands behind its key. */
export interface BareContext {
  readonly key: string;
  readonly isColon: boolean;
  /** Blanks around the sign, as code and prose have them, and shells and URLs don't. */
  readonly isSpaced: boolean;
  /** `=>`. */
  readonly isArrow: boolean;
}

const PATH = /^[A-Za-z_$][A-Za-z0-9_$]{0,63}(?:(?:\.|\?\.|->)[A-Za-z_$][A-Za-z0-9_$]{0,63}){1,8}$/;
const ROOTS = new Set(
  'self this req request process os env config cfg settings ctx context args opts options params body data user event secrets vars var local module conf state props'.split(
    ' ',
  ),
);
const LETTERS_PATH = /^[A-Za-z_$]{1,40}(?:(?:\.|\?\.|->|::)[A-Za-z_$]{1,40}){1,8}$/;
const EXPRESSION = /^[A-Za-z_$]{1,40}(?:(?:\.|\?\.|->|::)[A-Za-z0-9_$]{1,40}){0,8}[[(<]/;
const TAG = /^!(?:Ref|Sub|GetAtt|ImportValue|Join|vault|secret|env|reference)(?![A-Za-z0-9])/;
const PATTERN = /^\/[\^(\\[]/;
const TEMPLATE = /^(?:\$[{(]|\{\{)/;
const SNAKE = /^[a-z]{1,24}(?:_[a-z]{1,24}){1,5}$/;
const CONSTANT = /^[A-Z]{1,24}(?:_[A-Z]{1,24}){1,5}$/;
const MINIFIED = /^[A-Za-z_$]{1,2}$/;
const CALL = /^[A-Za-z_$][A-Za-z0-9_$.:]{0,100}\(/;
/** What follows a name in a program, and seldom a password. */
const FOLLOWS_NAME = ',;)|>&=?:[]{}';

/** A call at the beginning of a bare value: the length up to and with its bracket; 0 if there is none. */
export const callLength = (value: string): number => CALL.exec(value.slice(0, 120))?.[0].length ?? 0;

/** `req.body.password`, `settings.SECRET`; `password = password`. */
function isOwnName(value: string, key: string): boolean {
  if (value === key || value === key.slice(Math.max(key.lastIndexOf('.'), key.lastIndexOf(' ')) + 1)) return true;
  return PATH.test(value) && ROOTS.has(value.slice(0, value.search(/\?\.|\.|->/)));
}

/** A name of one or several words without digits: `userToken`, `InjectionToken`, `user_token`. */
export const isProgramWord = (value: string): boolean => isListedWord(value) || (value.length <= 120 && SNAKE.test(value));

/** What comes behind a value: a character, or the empty string at the end of a line. */
function followerOf(text: string, end: number): string {
  const at = runEnd(text, end, end + 3, isBlank);
  return text.slice(at, at + 1).trim();
}

function isNamed(text: string, value: string, end: number, context: BareContext): boolean {
  const follower = followerOf(text, end);
  const isFollowed = follower !== '' && FOLLOWS_NAME.includes(follower);
  if (!context.isSpaced) {
    // Arguments by name, f(token=value): only where a list goes on or ends, and never those of shells and URLs.
    if (context.isColon) return MINIFIED.test(value) || LETTERS_PATH.test(value);
    return isProgramWord(value) && (follower === ',' || follower === ')') && /^[a-z]/.test(context.key);
  }
  if (!isProgramWord(value)) return isFollowed && CONSTANT.test(value) && secretKindOf(value) !== null;
  if (isFollowed || secretKindOf(value) !== null) return true;
  // At the end of a line, behind a colon: a type begins with a capital; anything else may be the value of a setting.
  return follower === '' && /[a-z][A-Z]|_/.test(value) && (!context.isColon || /^[A-Z]/.test(value));
}

/**
 * Whether a bare value is a piece of a program, not a secret: a name, a type, an expression. Values of shells, URLs and
 * settings without blanks around the sign are taken for names only where they repeat their key or are paths like `self.token`.
 */
export function isProgramText(text: string, from: number, end: number, context: BareContext): boolean {
  const value = text.slice(from, end);
  if (context.isArrow || TEMPLATE.test(value)) return true;
  if (value.length > 400) return false;
  if (isOwnName(value, context.key) || isNamed(text, value, end, context)) return true;
  if (!context.isSpaced) return false;
  return '[{('.includes(value.charAt(0)) || LETTERS_PATH.test(value) || EXPRESSION.test(value) || TAG.test(value) || PATTERN.test(value);
}
