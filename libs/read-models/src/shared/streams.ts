const SESSION = 'session-';

/** `<workspace>/<session>` of a session stream (design §4), null for any other stream. */
export function sessionKeyOf(stream: string): string | null {
  return stream.startsWith(SESSION) ? stream.slice(SESSION.length) : null;
}

/** The workspace of a `<workspace>/<anything>` key: what stands before the first slash, which no workspace name holds. */
export function workspaceOf(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? key : key.slice(0, slash);
}
