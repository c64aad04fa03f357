import { pythonStrip } from '@counterfoil/canonical';

/** What the old task manager called an action, beside its canonical name. Frozen, and another table than the one of the old tools. */
const TASK_ALIASES: ReadonlyMap<string, string> = new Map([
  ...['status', 'diff', 'log', 'add', 'commit'].map((action): [string, string] => [action, `git_${action}`]),
  ['write', 'write_file'],
  ...['run_command', 'execute_terminal_command', 'run_terminal', 'terminal', 'command', 'bash', 'shell', 'sh', 'cmd'].map(
    (action): [string, string] => [action, 'run_cmd'],
  ),
]);

/** Generations of the old runtime in which an edit still was another action than a write. */
const BEFORE_EDITS: ReadonlySet<string> = new Set(['0a', '0b', '0c', '1', '1b']);

/**
 * An action as tasks are matched by it: in lower case, without outer blanks, by the task manager's aliases.
 *
 * @param generation of the runtime; from generation 2 on an edit counts as a write, and where none is said too
 */
export function taskActionOf(action: string, generation: string | null): string {
  const spelled = plannedActionOf(action);
  return spelled === 'edit_file' && !(generation !== null && BEFORE_EDITS.has(generation)) ? 'write_file' : spelled;
}

/** The same of an action that is planned, before anybody knows by which generation it will be run. */
export function plannedActionOf(action: string): string {
  const spelled = pythonStrip(action).toLowerCase();
  return TASK_ALIASES.get(spelled) ?? spelled;
}

/**
 * Names that only the old *tools* knew for running a command: a criterion's tool may be called by one of them, since it names a tool. The
 * server's spec compares them with the table of the old tools, which this lib can't see.
 */
export const COMMAND_TOOLS: ReadonlySet<string> = new Set([
  ...['exec', 'execute', 'run', 'run_shell_command', 'run_shell', 'shell_command', 'execute_shell', 'shell_cmd', 'bash_cmd'],
  'run_terminal_command',
]);

/** The action that a command criterion asks for, from the name of its tool. */
export function criterionActionOf(toolName: string, generation: string | null): string {
  return COMMAND_TOOLS.has(pythonStrip(toolName)) ? 'run_cmd' : taskActionOf(toolName, generation);
}
