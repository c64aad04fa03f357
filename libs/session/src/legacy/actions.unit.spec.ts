import { COMMAND_TOOLS, criterionActionOf, plannedActionOf, taskActionOf } from './actions.js';

describe('an action as the old task manager knew it', () => {
  it.each([
    ...['run_command', 'execute_terminal_command', 'run_terminal', 'terminal', 'command', 'bash', 'shell', 'sh', 'cmd', 'run_cmd'].map(
      (action) => [action, 'run_cmd'],
    ),
    ['status', 'git_status'],
    ['diff', 'git_diff'],
    ['log', 'git_log'],
    ['add', 'git_add'],
    ['commit', 'git_commit'],
    ['write', 'write_file'],
    [' Bash\n', 'run_cmd'],
    ['READ_FILE', 'read_file'],
    ['anything else', 'anything else'],
  ])('%j is %s', (action, canonical) => {
    expect(taskActionOf(action, null)).toBe(canonical);
    expect(plannedActionOf(action)).toBe(canonical);
  });

  it.each(['exec', 'execute', 'run', 'push', 'pull', 'branch', 'checkout', 'tree', 'show', 'constructor', '__proto__'])(
    '%s is no alias there, whatever the tools took it for',
    (action) => {
      expect(taskActionOf(action, null)).toBe(action);
    },
  );

  it('an edit is a write from generation 2 on, and where no generation is said', () => {
    const of = (generation: string | null): string => taskActionOf('Edit_File', generation);
    expect(['0a', '0b', '0c', '1', '1b'].map(of)).toEqual(Array.from({ length: 5 }, () => 'edit_file'));
    expect(['2', '3', null].map(of)).toEqual(['write_file', 'write_file', 'write_file']);
    expect(plannedActionOf('edit_file')).toBe('edit_file');
  });
});

describe('the action that a command criterion asks for', () => {
  it('is a command for every name that tasks or tools knew one by', () => {
    // All by which the old tools did: the task manager knew some of them.
    const tools =
      'bash shell sh run_command cmd exec execute run_shell_command run_shell shell_command execute_shell shell_cmd bash_cmd command run run_terminal_command run_terminal terminal execute_terminal_command';
    for (const name of [...tools.split(' '), ...COMMAND_TOOLS, 'run_cmd', ' terminal '])
      expect(criterionActionOf(name, null)).toBe('run_cmd');
  });

  it('is the tool’s own name for any other', () => {
    for (const name of ['make', 'Run', 'tool_run']) expect(criterionActionOf(name, null)).toBe(name.toLowerCase());
  });
});
