const SESSION = 'session-';
const REGISTRY = 'registry-';
const HISTORY = 'history-';
const IMPORT = 'import-';
/** Before the key of a record that was put aside (decision 0004); keys themselves begin with c or x. */
const ASIDE = 'q';

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

/** The workspace of any stream that documents are made of; null for one of the whole ledger. */
export function streamWorkspaceOf(stream: string): string | null {
  const registry = registryWorkspaceOf(stream);
  if (registry !== null) return registry;
  for (const kind of [SESSION, HISTORY, IMPORT]) if (stream.startsWith(kind)) return workspaceOf(stream.slice(kind.length));
  return null;
}

/** Workspace and session of a session stream, null for any other stream. */
export function sessionOf(stream: string): { readonly workspaceId: string; readonly sessionId: string } | null {
  const key = sessionKeyOf(stream);
  if (key === null) return null;
  const workspaceId = workspaceOf(key);
  return { workspaceId, sessionId: key.slice(workspaceId.length + 1) };
}

/** `<workspace>/<record key>` of the stream of a record that an import put aside, null for any other stream. */
export function asideKeyOf(stream: string): string | null {
  if (!stream.startsWith(HISTORY)) return null;
  const key = stream.slice(HISTORY.length);
  const workspaceId = workspaceOf(key);
  const record = key.slice(workspaceId.length + 1);
  return record.startsWith(ASIDE) ? `${workspaceId}/${record.slice(ASIDE.length)}` : null;
}

/** `<workspace>/<run>` of an import's own stream, null for any other stream. */
export function importKeyOf(stream: string): string | null {
  return stream.startsWith(IMPORT) ? stream.slice(IMPORT.length) : null;
}

/** `<workspace>/<record key>` of the stream of a record that was imported (design §4), null for any other stream. */
export function historyKeyOf(stream: string): string | null {
  return stream.startsWith(HISTORY) && asideKeyOf(stream) === null ? stream.slice(HISTORY.length) : null;
}
