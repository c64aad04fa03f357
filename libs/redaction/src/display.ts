// Controls but tab and line feed, format characters (bidi controls, zero-width ones, tags), line and paragraph separators,
// lone surrogates, fillers and variation selectors; not the one selector that may stand behind a sign to make an emoji of it.
const INVISIBLE = /(?!\t|\n)(?!(?<=[\p{Extended_Pictographic}0-9#*])[\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]/gu;

/**
 * A text for views (case 23): characters that don't show, or that turn others around, as `\u{…}` in hex. Nothing is hashed or
 * stored in this form.
 */
export function safeDisplay(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
