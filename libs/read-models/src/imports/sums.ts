/** Counts, each of them added to the one of its name. */
export function addCounts<C extends Readonly<Record<string, number>>>(a: C | undefined, b: C): C {
  const names = Object.keys(b) as (keyof C)[];
  // The same keys with numbers, which TypeScript can't see.
  return Object.fromEntries(names.map((name) => [name, (a?.[name] ?? 0) + (b[name] ?? 0)])) as C;
}

/** What two records hold, in the order of the names; `add` joins what stands under one name in both. */
export function addByName<T>(
  a: Readonly<Record<string, T>> | undefined,
  b: Readonly<Record<string, T>>,
  add: (a: T | undefined, b: T) => T,
): Record<string, T> {
  const sums = new Map(Object.entries(a ?? {}));
  for (const [name, value] of Object.entries(b)) sums.set(name, add(sums.get(name), value));
  return Object.fromEntries([...sums].sort(([one], [other]) => (one < other ? -1 : 1)));
}
