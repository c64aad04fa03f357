import type { Command } from 'commander';
import type { Page, PlanDocument } from '@counterfoil/contracts';
import { api, apiSettings } from '../api.js';
import { print, printJson, printPage, queryOf, table } from '../output.js';

interface ListOptions {
  readonly session?: string;
  readonly state?: string;
  readonly limit: string;
  readonly cursor?: string;
  readonly json?: boolean;
}

export function addPlans(program: Command): void {
  const plans = program.command('plans').description('list Working Plans, or show one with its tasks (asks the running ledger)');
  plans
    .command('list', { isDefault: true })
    .description('list Working Plans, newest first')
    .option('--session <id>', 'only of this session')
    .option('--state <state>', 'active or closed')
    .option('--limit <n>', 'at most so many', '20')
    .option('--cursor <cursor>', 'go on after the page that gave this')
    .option('--json', 'print JSON')
    .action(list);
  plans
    .command('show')
    .description('show a Working Plan with its tasks')
    .argument('<session>', 'a session id')
    .argument('<plan>', 'a plan id')
    .option('--json', 'print JSON')
    .action(show);
}

async function list({ session, state, limit, cursor, json }: ListOptions): Promise<void> {
  const query = queryOf({ session, state, limit, cursor });
  const page = await api<Page<PlanDocument>>(apiSettings(process.env), 'GET', `/v1/plans${query}`);
  if (json === true) printJson(page);
  else printPage(planTable(page.items), page);
}

function planTable(plans: readonly PlanDocument[]): string {
  const rows = plans.map((plan) => [
    plan.sessionId,
    plan.planId,
    plan.state,
    plan.closedBecause === 'superseded' ? `superseded by ${plan.supersededBy ?? '-'}` : plan.closedBecause,
    `${String(plan.tasks.filter(({ status }) => status === 'succeeded').length)}/${String(plan.tasks.length)}`,
    plan.activatedBy,
    plan.activatedAt,
  ]);
  return table(['session', 'plan', 'state', 'because', 'succeeded', 'activated by', 'at'], rows);
}

async function show(sessionId: string, planId: string, { json }: { json?: boolean }): Promise<void> {
  const path = `/v1/sessions/${encodeURIComponent(sessionId)}/plans/${encodeURIComponent(planId)}`;
  const plan = await api<PlanDocument>(apiSettings(process.env), 'GET', path);
  if (json === true) {
    printJson(plan);
    return;
  }
  print(planTable([plan]));
  const tasks = plan.tasks.map(({ taskId, status }) => [taskId, status]);
  print(`\n${table(['task', 'status'], tasks)}`);
}
