/** Containers shorter than that cost a cut less than their text would. */
const SHORT = 1024;

/**
 * A JSON text in which every longer container from some depth on stands as the JSON text of it. Cutting a text takes its end; cutting
 * containers to so many members each would take the members away by which a record is read.
 *
 * @param json nested at most a few hundred levels
 * @param depth of the containers that become texts: 0 is the value itself
 */
export const membersAsTexts = (json: string, depth: number): string => JSON.stringify(asTexts(JSON.parse(json), depth));

function asTexts(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) {
    const text = JSON.stringify(value);
    return text.length > SHORT ? text : value;
  }
  if (Array.isArray(value)) return value.map((member): unknown => asTexts(member, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asTexts(member, depth - 1)] as const));
}
