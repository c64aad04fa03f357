import type { Command } from 'commander';
import type { Policy } from '@counterfoil/contracts';
import { api, apiSettings, apiText } from '../api.js';
import { readInput } from '../input.js';
import { print, printJson, queryOf, table } from '../output.js';

interface PolicyAnswer {
  /** Null while none was set. */
  readonly version: number | null;
  readonly policy: Policy;
  readonly setAt: string | null;
  readonly setBy: string | null;
}

export function addPolicy(program: Command): void {
  const policy = program.command('policy').description("show or set the workspace's policy (asks the running ledger)");
  policy
    .command('show', { isDefault: true })
    .description('show the policy: the strictest rule that matches a call wins')
    .option('--version <n>', 'an earlier version')
    .option('--json', 'print JSON, as `policy set` takes it')
    .action(show);
  policy
    .command('set')
    .description('set the policy; the version before it is kept')
    .argument('<file>', 'the JSON body of PUT /v1/policy; - reads standard input')
    .action(async (file: string) => {
      const text = await readInput(file);
      const { version, policy: set } = await apiText<PolicyAnswer>(apiSettings(process.env), 'PUT', '/v1/policy', text);
      print(`policy version ${String(version)}: ${String(set.rules.length)} rules`);
    });
}

async function show({ version, json }: { version?: string; json?: boolean }): Promise<void> {
  const answer = await api<PolicyAnswer>(apiSettings(process.env), 'GET', `/v1/policy${queryOf({ version })}`);
  const { rules, unknownTools } = answer.policy;
  if (json === true) {
    printJson({ rules, unknownTools });
    return;
  }
  if (answer.version === null) {
    print('No policy is set: nothing is refused, and calls need approval only where they ask for it.');
    return;
  }
  const rows = rules.map(({ id, match, then, expiresSeconds }) => [
    id,
    match.source,
    match.name,
    match.sideEffects?.join(',') ?? '*',
    then,
    expiresSeconds === undefined ? null : String(expiresSeconds),
  ]);
  print(`version ${String(answer.version)}, set by ${answer.setBy ?? '-'} at ${answer.setAt ?? '-'}`);
  print(`tools that are not registered: ${unknownTools}\n`);
  print(table(['rule', 'source', 'name', 'class', 'then', 'expires (s)'], rows));
}
