// Below this many keys, comparing with each is quicker than a set and allocates nothing per object.
const SCANNED = 8;

/**
 * Spells a key so that the hash of no key can be predicted: V8 hashes strings that look like array indices without its
 * seed, and keys picked for that would all fall into one bucket. Injective.
 */
function guarded(key: string): string {
  const first = key.charCodeAt(0);
  return (first >= 0x30 && first <= 0x39) || first === 0x23 ? `#${key}` : key;
}

/** Remembers the keys of all objects that are open, innermost last. */
export class OpenObjects {
  private readonly keys: string[] = [];
  private readonly bases: number[] = [];
  private readonly sets: (Set<string> | undefined)[] = [];

  enter(): void {
    this.bases.push(this.keys.length);
    this.sets.push(undefined);
  }

  leave(): void {
    this.keys.length = this.bases.pop() ?? 0;
    this.sets.pop();
  }

  /** Whether the innermost object had this (decoded) key already. Remembers it. */
  seen(key: string): boolean {
    const innermost = this.bases.length - 1;
    const base = this.bases[innermost] ?? 0;
    const set = this.sets[innermost];
    if (set !== undefined) {
      const size = set.size;
      return set.add(guarded(key)).size === size;
    }
    for (let at = base; at < this.keys.length; at++) if (this.keys[at] === key) return true;
    this.keys.push(key);
    if (this.keys.length - base > SCANNED) this.sets[innermost] = new Set(this.keys.slice(base).map(guarded));
    return false;
  }
}
