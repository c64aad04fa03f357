/**
 * Everything that can be reached from a value as one text: own members (private fields of TypeScript are such), members of maps and
 * sets, bytes of buffers. The same text before and after shows that nothing was changed. Functions count as equal; for the small
 * structures of specs only, since it recurses.
 */
export function snapshotOf(value: unknown): string {
  return JSON.stringify(plain(value, new Map()));
}

function plain(value: unknown, seen: Map<object, number>): unknown {
  if (typeof value === 'bigint') return { bigint: value.toString() };
  if (typeof value === 'number' && !Number.isFinite(value)) return { number: String(value) };
  if (typeof value === 'function') return 'function';
  if (typeof value !== 'object' || value === null) return value === undefined ? { undefined: true } : value;
  const before = seen.get(value);
  if (before !== undefined) return { again: before };
  seen.set(value, seen.size);
  if (value instanceof ArrayBuffer) return { bytes: hexOf(new Uint8Array(value)) };
  if (ArrayBuffer.isView(value)) return { bytes: hexOf(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)) };
  if (value instanceof Map) return { map: [...value].map(([key, member]) => [plain(key, seen), plain(member, seen)]) };
  if (value instanceof Set) return { set: [...value].map((member) => plain(member, seen)) };
  return Object.entries(value).map(([key, member]) => [key, plain(member, seen)]);
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');

/** Freezes plain objects and arrays, however deep, so that writing into them throws. Bytes can't be frozen: compare their snapshots. */
export function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFrozen(member);
  return Object.freeze(value);
}
