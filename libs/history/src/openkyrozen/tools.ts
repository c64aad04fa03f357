import { pythonStrip } from '@counterfoil/canonical';
import type { SideEffectClass } from '@counterfoil/contracts';

/** What is known of a builtin tool of the old runtime. */
interface BuiltinTool {
  readonly sideEffects: SideEffectClass;
  /** The names of its arguments, in the order in which its one argument text held them, joined by bars; none: the text is opaque. */
  readonly fields?: readonly string[];
  /** How many of the fields have to be there; the others may be left out with their bar. */
  readonly required?: number;
  /** Old spellings of fields when the arguments were an object. */
  readonly fieldAliases?: Readonly<Record<string, string>>;
}

const PATH = { fields: ['path'], fieldAliases: { file_path: 'path' } } as const;
const SESSION = { sessionId: 'session_id' } as const;

/**
 * The builtin tools by name. Frozen: it says what these names meant in the old runtime, for records that will never change. It
 * grants nothing, and a class says nothing about running in parallel.
 */
const BUILTINS = new Map<string, BuiltinTool>([
  ['read_file', { sideEffects: 'read_only', ...PATH }],
  ['list_dir', { sideEffects: 'read_only', ...PATH }],
  ['list_tree', { sideEffects: 'read_only', ...PATH }],
  ['find_files', { sideEffects: 'read_only', fields: ['pattern', 'directory'], required: 1 }],
  ['search_files', { sideEffects: 'read_only' }],
  ['git_status', { sideEffects: 'read_only' }],
  ['git_diff', { sideEffects: 'read_only' }],
  ['git_log', { sideEffects: 'read_only' }],
  ['git_show', { sideEffects: 'read_only' }],
  ['graph_status', { sideEffects: 'read_only' }],
  ['graph_query', { sideEffects: 'read_only' }],
  ['graph_explain', { sideEffects: 'read_only' }],
  ['graph_path', { sideEffects: 'read_only' }],
  ['check_stored_data', { sideEffects: 'read_only' }],
  ['search_memory', { sideEffects: 'read_only' }],
  ['discover_tools', { sideEffects: 'read_only' }],
  ['calculate', { sideEffects: 'read_only' }],
  ['write_file', { sideEffects: 'filesystem', fields: ['path', 'content'], fieldAliases: { file_path: 'path', text: 'content' } }],
  ['edit_file', { sideEffects: 'filesystem' }],
  ['git_add', { sideEffects: 'filesystem' }],
  ['git_commit', { sideEffects: 'filesystem', fields: ['message'] }],
  ['git_stash', { sideEffects: 'filesystem' }],
  ['git_branch', { sideEffects: 'filesystem' }],
  ['run_cmd', { sideEffects: 'process', fields: ['command'], fieldAliases: { cmd: 'command' } }],
  ['search_web', { sideEffects: 'remote', fields: ['query'] }],
  ['read_webpage', { sideEffects: 'remote', fields: ['url'] }],
  ['analyze_remote_repo', { sideEffects: 'remote', fields: ['url'] }],
  ['github_status', { sideEffects: 'remote' }],
  ['github_read', { sideEffects: 'remote' }],
  ['github_cli', { sideEffects: 'remote' }],
  ['git_push', { sideEffects: 'remote' }],
  ['git_pull', { sideEffects: 'remote' }],
  ['git_clone', { sideEffects: 'remote', fields: ['url', 'destination'], required: 1 }],
  ['git_remote', { sideEffects: 'remote' }],
  ['browser_open', { sideEffects: 'remote', fields: ['url'] }],
  ['browser_snapshot', { sideEffects: 'remote', fields: ['session_id'], fieldAliases: SESSION }],
  ['browser_click', { sideEffects: 'remote', fields: ['session_id', 'selector'], fieldAliases: SESSION }],
  ['browser_type', { sideEffects: 'remote', fields: ['session_id', 'selector', 'text'], fieldAliases: SESSION }],
  ['browser_close', { sideEffects: 'remote', fields: ['session_id'], fieldAliases: SESSION }],
  ['git_checkout', { sideEffects: 'destructive' }],
  ['git_reset', { sideEffects: 'destructive' }],
  ['graph_refresh', { sideEffects: 'internal' }],
  ['spawn_agents', { sideEffects: 'internal' }],
  ['send_subagent', { sideEffects: 'internal' }],
  ['list_subagents', { sideEffects: 'internal' }],
  ['wait_subagents', { sideEffects: 'internal' }],
  ['cancel_subagent', { sideEffects: 'internal' }],
]);

/** Section 8 of the facts names them as a family, and not one by one. */
const BROWSER = /^browser_./;

const ALIASES = new Map<string, string>([
  ...'bash shell sh run_command cmd exec execute run_shell_command run_shell shell_command execute_shell shell_cmd bash_cmd command run'
    .split(' ')
    .map((alias): [string, string] => [alias, 'run_cmd']),
  ...'run_terminal_command run_terminal terminal execute_terminal_command'.split(' ').map((alias): [string, string] => [alias, 'run_cmd']),
  ...'status diff log branch add commit push pull checkout stash clone reset show remote'
    .split(' ')
    .map((alias): [string, string] => [alias, `git_${alias}`]),
  ['browse_summary', 'read_webpage'],
  ['tree', 'list_tree'],
  ['check_memory', 'check_stored_data'],
  ['write', 'write_file'],
]);

/**
 * The tool that an action names: the old runtime's own aliases are resolved, exactly and case-sensitively, and so are blanks around a
 * name that it knew. Nothing else is.
 */
export function toolNamed(action: string): string {
  const name = pythonStrip(action);
  return ALIASES.get(name) ?? (BUILTINS.has(name) ? name : action);
}

/** The class of a tool; `destructive` for every name that is no builtin. All of the browser's were of one, whichever they were. */
export function sideEffectsOf(tool: string): SideEffectClass {
  return BUILTINS.get(tool)?.sideEffects ?? (BROWSER.test(tool) ? 'remote' : 'destructive');
}

export function builtin(tool: string): BuiltinTool | null {
  return BUILTINS.get(tool) ?? null;
}

/** Whether the old runtime kept a structured exit status of this tool. */
export function runsCommands(tool: string): boolean {
  return tool === 'run_cmd';
}
