/**
 * One text for a server-qualified tool name: JSON, so that no name can be taken for another and a NUL is escaped. Of well-formed names it
 * is their RFC 8785 form.
 */
export function toolText(source: string | null, name: string): string {
  return JSON.stringify([source, name]);
}
