import { builtin } from './tools.js';
import type { RecordedArguments } from './generations/shapes.js';

const quote = (value: unknown): string => JSON.stringify(value);

function objectText(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([key, json]) => `${quote(key)}:${json}`).join(',')}}`;
}

/** The one text that the old runtime kept, in the fields it was made of; null where the text doesn't say how it was made. */
function fieldsOf(tool: string, text: string): readonly (readonly [string, string])[] | null {
  const known = builtin(tool);
  const fields = known?.fields;
  if (known === null || fields === undefined) return null;
  const parts = text.split('|');
  // A third field makes the bars ambiguous: a selector may hold some of them.
  if (fields.length > 2 && parts.length !== fields.length) return null;
  if (parts.length < (known.required ?? fields.length)) return null;
  const values = [...parts.slice(0, fields.length - 1), parts.slice(fields.length - 1).join('|')];
  return fields.slice(0, parts.length).map((field, index) => [field, quote(values[index] ?? '')]);
}

function fromObject(tool: string, value: Readonly<Record<string, unknown>>): string {
  const aliases = builtin(tool)?.fieldAliases ?? {};
  const entries = Object.entries(value).map(([key, member]): [string, string] => {
    const field = Object.hasOwn(aliases, key) ? aliases[key] : undefined;
    return [field === undefined || Object.hasOwn(value, field) ? key : field, quote(member)];
  });
  return objectText(entries);
}

/**
 * The recorded arguments as JSON text of an object, structured as far as the record itself says how (a path, a command, a path and
 * content split at the first bar). What can't be told apart stands whole under `args`, as every text of an unknown tool does.
 *
 * @param opaque whether the text is only what became of a value that was no text (see `argumentsFidelity`)
 * @returns `null` as JSON text where the record has no arguments
 */
export function argumentsJson(tool: string, recorded: RecordedArguments, opaque: boolean): string {
  switch (recorded.kind) {
    case 'absent':
      return 'null';
    case 'object':
      return fromObject(tool, recorded.value);
    case 'other':
      return objectText([['args', quote(recorded.value)]]);
    case 'text': {
      const fields = opaque ? null : fieldsOf(tool, recorded.text);
      return objectText(fields ?? [['args', quote(recorded.text)]]);
    }
  }
}
