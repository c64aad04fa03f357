import type { Command } from 'commander';
import type { ImportedTaskReading, Page, TaskReading } from '@counterfoil/contracts';
import { api, apiSettings } from '../api.js';
import { print, printJson, printPage, queryOf, table } from '../output.js';
import { importedTaskTable } from './imported-tasks.js';

interface ListOptions {
  readonly session?: string;
  readonly plan?: string;
  readonly status?: string;
  readonly imported?: boolean;
  readonly user?: string;
  readonly task?: string;
  readonly limit: string;
  readonly cursor?: string;
  readonly json?: boolean;
}

export function addTasks(program: Command): void {
  const tasks = program.command('tasks').description('list tasks, or show one with its criteria and evidence (asks the running ledger)');
  tasks
    .command('list', { isDefault: true })
    .description('list tasks, newest first')
    .option('--session <id>', 'only of this session')
    .option('--plan <id>', 'only of this plan; needs --session')
    .option('--status <state>', 'pending, running, blocked, succeeded, failed or cancelled')
    .option('--imported', 'tasks of old systems instead, as their rows stood when they were imported')
    .option('--user <id>', 'only of this user; needs --imported')
    .option('--task <id>', 'only with this id of the old system; needs --imported')
    .option('--limit <n>', 'at most so many', '20')
    .option('--cursor <cursor>', 'go on after the page that gave this')
    .option('--json', 'print JSON')
    .action(list);
  tasks
    .command('show')
    .description('show a task of the active plan')
    .argument('<session>', 'a session id')
    .argument('<task>', 'a task id')
    .option('--plan <id>', 'of this plan instead')
    .option('--json', 'print JSON')
    .action(show);
}

async function list({ session, plan, status, imported, user, task, limit, cursor, json }: ListOptions): Promise<void> {
  const provenance = imported === true ? 'imported' : undefined;
  const path = `/v1/tasks${queryOf({ provenance, session, plan, status, user, task, limit, cursor })}`;
  const settings = apiSettings(process.env);
  if (imported === true) printTasks(await api<Page<ImportedTaskReading>>(settings, 'GET', path), importedTaskTable, json);
  else printTasks(await api<Page<TaskReading>>(settings, 'GET', path), taskTable, json);
}

function printTasks<T>(page: Page<T>, toTable: (tasks: readonly T[]) => string, json = false): void {
  if (json) printJson(page);
  else printPage(toTable(page.items), page);
}

function taskTable(tasks: readonly TaskReading[]): string {
  const rows = tasks.map((task) => [
    task.sessionId,
    task.planId,
    task.taskId,
    task.status,
    `${String(task.criteria.filter(({ metBy }) => metBy !== null).length)}/${String(task.criteria.length)}`,
    String(task.receiptCount),
    task.changedBy,
  ]);
  return table(['session', 'plan', 'task', 'status', 'met', 'calls', 'changed by'], rows);
}

async function show(sessionId: string, taskId: string, { plan, json }: { plan?: string; json?: boolean }): Promise<void> {
  const path = `/v1/sessions/${encodeURIComponent(sessionId)}/tasks/${encodeURIComponent(taskId)}${queryOf({ plan })}`;
  const task = await api<TaskReading>(apiSettings(process.env), 'GET', path);
  if (json === true) {
    printJson(task);
    return;
  }
  print(taskTable([task]));
  const criteria = task.criteria.map(({ criterion, metBy }) => [criterion.id, criterion.kind, metBy]);
  print(`\n${table(['criterion', 'kind', 'met by'], criteria)}`);
  const evidence = task.evidence.map((one) => [one.evidenceId, one.criterionId, one.source.kind, one.stale ? 'stale' : 'fresh', one.by]);
  print(`\n${table(['evidence', 'criterion', 'source', 'state', 'by'], evidence)}`);
  const calls = task.lastReceipts.map((receipt) => [receipt.receiptId, receipt.status]);
  print(`\n${table(['last calls', 'status'], calls)}`);
}
