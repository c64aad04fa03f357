/** Who asks, as far as a query is concerned: one workspace, and for agents one user of it (design §6: foreign equals missing). */
export interface ReadScope {
  readonly workspaceId: string;
  /** Null reads the whole workspace. */
  readonly userId: string | null;
}

/** True if the scope may see the document. A document without a user belongs to the workspace alone. */
export function inScope(scope: ReadScope, doc: { readonly workspaceId: string; readonly userId: string | null }): boolean {
  return doc.workspaceId === scope.workspaceId && (scope.userId === null || doc.userId === scope.userId);
}
