import { Command, CommanderError } from 'commander';
import { lastWords } from '@counterfoil/runtime';
import { CliError } from './cli-error.js';
import { addApprovals } from './commands/approvals.js';
import { addCopy } from './commands/copy.js';
import { addImport } from './commands/import.js';
import { addImports } from './commands/imports.js';
import { addKeys } from './commands/keys.js';
import { addPlans } from './commands/plans.js';
import { addPolicy } from './commands/policy.js';
import { addReceipts } from './commands/receipts.js';
import { addRebuild } from './commands/rebuild.js';
import { addServe } from './commands/serve.js';
import { addTasks } from './commands/tasks.js';
import { addTools } from './commands/tools.js';
import { addVerify } from './commands/verify.js';
import { dropEmptyVariables } from './environment.js';

const COMMANDS = [
  addServe,
  addImport,
  addImports,
  addReceipts,
  addApprovals,
  addTasks,
  addPlans,
  addTools,
  addPolicy,
  addRebuild,
  addVerify,
  addCopy,
  addKeys,
];

function build(): Command {
  const program = new Command('counterfoil')
    .description('The receipt ledger for AI agents that use tools.')
    .exitOverride()
    .showHelpAfterError();
  for (const add of COMMANDS) add(program);
  return program;
}

process.umask(0o077);
dropEmptyVariables(process.env);
try {
  await build().parseAsync(process.argv);
} catch (error) {
  process.exitCode = report(error);
}

/** Says what went wrong in one sentence, and gives the exit code: 2 for a wrong use, 1 for the rest, or what the command says. */
function report(error: unknown): number {
  // Commander has said its part already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  process.stderr.write(`counterfoil: ${error instanceof CliError ? error.message : lastWords(error)}\n`);
  return error instanceof CliError ? error.exitCode : 1;
}
