/** Empty variables count as unset, for commands and their options as for the settings of a server: they are taken away before any looks. */
export function dropEmptyVariables(environment: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(environment)) {
    // Not another program's variable: what that takes an empty one for is its own matter.
    if (name.startsWith('COUNTERFOIL_') && value === '') Reflect.deleteProperty(environment, name);
  }
}
