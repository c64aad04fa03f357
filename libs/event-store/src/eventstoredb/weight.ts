/** What an event weighs beside its texts. */
const OVERHEAD = 512;

/** UTF-16 units of all texts in a JSON value, and something for the rest. Doesn't recurse: the value may be nested deeply. */
export function weightOf(value: unknown): number {
  let weight = OVERHEAD;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') weight += next.length;
    else if (next instanceof Uint8Array) weight += next.length;
    else if (typeof next === 'object' && next !== null) {
      for (const [key, member] of Object.entries(next)) {
        weight += key.length;
        open.push(member);
      }
    } else weight += 8;
  }
  return weight;
}
