/** Whether a text fits a pattern. */
export type Glob = (text: string) => boolean;

/**
 * A pattern in which `*` stands for any run of characters, none included, and every other character for itself. The parts between the
 * stars are looked for from left to right, each from where the one before ended and never again, so a match takes linear time.
 */
export function globOf(pattern: string): Glob {
  const parts = pattern.split('*');
  const first = parts[0] ?? '';
  if (parts.length === 1) return (text) => text === pattern;
  const last = parts.at(-1) ?? '';
  const between = parts.slice(1, -1).filter((part) => part !== '');
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let from = first.length;
    for (const part of between) {
      const at = text.indexOf(part, from);
      if (at === -1) return false;
      from = at + part.length;
    }
    return from <= end;
  };
}
