export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** All values of a JSON value, itself among them, with how deep they stand; no call for each level. */
export function* valuesIn(root: unknown): Iterable<{ readonly value: unknown; readonly depth: number }> {
  const todo: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 0 }];
  for (let entry = todo.pop(); entry !== undefined; entry = todo.pop()) {
    yield entry;
    const { value, depth } = entry;
    if (typeof value !== 'object' || value === null) continue;
    for (const member of Object.values(value)) todo.push({ value: member, depth: depth + 1 });
  }
}

/** Members and elements, at every level. */
export function sizeOf(root: unknown): number {
  let size = 0;
  for (const entry of valuesIn(root)) if (entry.depth > 0) size++;
  return size;
}
