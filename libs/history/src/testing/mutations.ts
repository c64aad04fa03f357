import fc from 'fast-check';

type Json = unknown;
type Step = string | number;

/** What is done to one place of a JSON value. */
export type Mutation = (value: Json) => Json;

const DELETED = Symbol('deleted');

/** Every place of a value, at any depth; the value itself too. */
function placesOf(value: Json): readonly (readonly Step[])[] {
  const found: (readonly Step[])[] = [];
  const todo: { readonly value: Json; readonly at: readonly Step[] }[] = [{ value, at: [] }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { at } = next;
    found.push(at);
    if (typeof next.value !== 'object' || next.value === null) continue;
    const isList = Array.isArray(next.value);
    for (const [key, member] of Object.entries(next.value) as [string, Json][]) {
      todo.push({ value: member, at: [...at, isList ? Number(key) : key] });
    }
  }
  return found;
}

function changedAt(value: Json, [first, ...rest]: readonly Step[], change: Mutation): Json {
  if (first === undefined) return change(value);
  if (Array.isArray(value)) {
    const list = value.map((member, index): Json => (index === first ? changedAt(member, rest, change) : member));
    return list.filter((member) => member !== DELETED);
  }
  const entries = Object.entries(value as Readonly<Record<string, Json>>).map(([key, member]): [string, Json] => [
    key,
    key === first ? changedAt(member, rest, change) : member,
  ]);
  return Object.fromEntries(entries.filter(([, member]) => member !== DELETED));
}

const PROTO: Json = JSON.parse('{"__proto__": {"action": "a", "success": 1}}');

/** Values that readers stumble over. */
const ODD: readonly Json[] = [
  ...[
    null,
    true,
    0,
    -1,
    1.5,
    1e300,
    '',
    ' ',
    '\u0000',
    '\ud800',
    'x'.repeat(600),
    '😀'.repeat(300),
    [],
    {},
    [[[]]],
    '[]',
    '{}',
    'null',
    '{"a"',
  ],
  ...['2026-02-30T00:00:00+00:00', '2026-05-04T03:02:01', 'execution.receipt', 'task.x', 'subagent.receipt', '__proto__', 'None'],
  ...[{ action: 'a', success: true }, { action: 7, receipt_id: 'r' }, '{"action": "a", "success": true}', PROTO],
];

const replacement = fc.oneof(fc.constantFrom(...ODD), fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: 'binary', maxLength: 12 }));

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.constant<Mutation>(() => DELETED),
  replacement.map<Mutation>((other) => () => other),
  fc.constantFrom<Mutation>(
    (value) => [value],
    (value) => ({ value }),
    (value) => ({ receipt: value, event: 'tool_receipt' }),
    (value) => JSON.stringify(value),
    (value) => JSON.stringify(JSON.stringify(value)),
    (value) => [value, value],
  ),
  fc
    .tuple(
      fc.constantFrom('action', 'args', 'evidence', 'tool_records', 'success', 'event_type', 'payload', '\ud800', 'a/b~', '1'),
      replacement,
    )
    .map<Mutation>(
      ([key, other]) =>
        (value) =>
          typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, [key]: other } : value,
    ),
);

/** A value with one to four changes anywhere in it, the changes of one another too. */
export function mutated(values: readonly Json[]): fc.Arbitrary<Json> {
  const changes = fc.array(fc.tuple(fc.nat(), mutation), { minLength: 1, maxLength: 4 });
  return fc
    .tuple(fc.constantFrom(...values), changes)
    .map(([value, steps]) => steps.reduce<Json>((so, [place, change]) => mutate(so, place, change), value));
}

function mutate(value: Json, place: number, change: Mutation): Json {
  const places = placesOf(value);
  const changed = changedAt(value, places[place % places.length] ?? [], change);
  return changed === DELETED ? null : changed;
}

/** Puts something into one place of a value. */
export const planted = (value: Json, place: number, change: Mutation): Json => mutate(value, place, change);
