const HEX = /^[0-9a-f]{16,128}$/i;
const WHOLE_SHA256 = /^[0-9a-f]{64}$/i;
/** Under such keys the old runtime kept a digest over content that it then redacted. Operation ids are the exception (promise 4). */
const DIGEST_KEY = /(?:^|_)sha_?256$/i;
/** Under such keys anything may stand: a digest over content where they say what was observed of an effect. */
const OBSERVED_KEY = /(?:^|_)(?:hash|digest|fingerprint)$/i;
/** Members under which observations stand. */
const OBSERVATIONS: ReadonlySet<string> = new Set(['verification', 'observed']);

const isDigest = (key: string, value: string, isObserved: boolean): boolean =>
  (HEX.test(value) && DIGEST_KEY.test(key)) || (isObserved && WHOLE_SHA256.test(value) && OBSERVED_KEY.test(key));

/** The digests over unredacted content in a value, at any depth, also in JSON texts that stand as strings in it: lower-case hex, each once. */
export function digestsIn(record: unknown): readonly string[] {
  const found = new Set<string>();
  const todo: { readonly value: unknown; readonly isObserved: boolean }[] = [{ value: record, isObserved: false }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { isObserved } = next;
    const value = typeof next.value === 'string' && LOOKS_ENCODED.test(next.value) ? parsed(next.value) : next.value;
    // JSON text in JSON text: once more.
    if (typeof value === 'string' && value !== next.value) todo.push({ value, isObserved });
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value) as [string, unknown][]) {
      if (typeof member === 'string' && isDigest(key, member, isObserved)) found.add(member.toLowerCase());
      else todo.push({ value: member, isObserved: isObserved || OBSERVATIONS.has(key) });
    }
  }
  return [...found];
}

// As members stand in JSON, in JSON text of it however often encoded, and in what Python makes of a dict.
const MEMBER = /(?:sha_?256|hash|digest|fingerprint)\\{0,15}["']\s{0,9}:\s{0,9}\\{0,15}["']([0-9a-f]{64})(?![0-9a-z])/gi;

/** The same of a text that may be no JSON, or JSON that readers disagree about: what looks like a digest by its key and its form. */
export function digestsOfText(text: string): readonly string[] {
  const members = [...text.matchAll(MEMBER)].map(([, digest = '']) => digest.toLowerCase());
  return [...new Set([...digestsIn(parsed(text)), ...members])];
}

const LOOKS_ENCODED = /^\s*["{[]/;
const MAY_HOLD_DIGESTS = /sha_?256|hash|digest|fingerprint/i;

function parsed(text: string): unknown {
  if (!MAY_HOLD_DIGESTS.test(text)) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
