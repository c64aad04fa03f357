import { decodeUtf8 } from '@counterfoil/canonical';

/** A value of a column: text and blobs by their bytes, integers exact. */
export type ColumnValue = null | bigint | number | Buffer;

/** How a database encodes its texts. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

export interface RowText {
  readonly text: string;
  /** Whether some text or blob was none in the database's encoding. */
  readonly invalid: boolean;
}

/** The JSON of one value. A number that JSON has not (an infinite one) is spelled as Python would; readers put such a record aside. */
export function valueText(value: ColumnValue, encoding: TextEncoding): RowText {
  if (value === null) return { text: 'null', invalid: false };
  if (typeof value !== 'object') return { text: String(value), invalid: false };
  if (encoding === 'utf-8') {
    const { text, invalid } = decodeUtf8(value);
    return { text: JSON.stringify(text), invalid: invalid.length > 0 };
  }
  try {
    return { text: JSON.stringify(new TextDecoder(encoding, { fatal: true }).decode(value)), invalid: false };
  } catch {
    return { text: JSON.stringify(new TextDecoder(encoding).decode(value)), invalid: true };
  }
}

/** A row as the text of a JSON object: a member for each column, in order. */
export function rowText(names: readonly string[], values: readonly ColumnValue[], encoding: TextEncoding): RowText {
  let invalid = false;
  const members = names.map((name, index) => {
    const value = valueText(values[index] ?? null, encoding);
    invalid ||= value.invalid;
    return `${JSON.stringify(name)}:${value.text}`;
  });
  return { text: `{${members.join(',')}}`, invalid };
}
