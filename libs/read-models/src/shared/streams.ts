const SESSION = 'session-';
const REGISTRY = 'registry-';

/** `<workspace>/<session>` of a session stream (design §4), null for any other stream. */
export function sessionKeyOf(stream: string): string | null {
  return stream.startsWith(SESSION) ? stream.slice(SESSION.length) : null;
}

/** The workspace of a `<workspace>/<anything>` key: what stands before the first slash, which no workspace name holds. */
export function workspaceOf(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? key : key.slice(0, slash);
}

/** The workspace of a tool registry's stream (design §4), null for any other stream. */
export function registryWorkspaceOf(stream: string): string | null {
  return stream.startsWith(REGISTRY) ? stream.slice(REGISTRY.length) : null;
}

/** Workspace and session of a session stream, null for any other stream. */
export function sessionOf(stream: string): { readonly workspaceId: string; readonly sessionId: string } | null {
  const key = sessionKeyOf(stream);
  if (key === null) return null;
  const workspaceId = workspaceOf(key);
  return { workspaceId, sessionId: key.slice(workspaceId.length + 1) };
}
