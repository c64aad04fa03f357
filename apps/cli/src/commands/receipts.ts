import type { Command } from 'commander';
import type { Page, ReceiptDocument } from '@counterfoil/contracts';
import { api, apiSettings } from '../api.js';
import { printJson, printPage, queryOf, table } from '../output.js';

interface Options {
  readonly json?: boolean;
  readonly compat?: boolean;
  readonly limit: string;
  readonly session?: string;
  readonly root?: string;
  readonly task?: string;
  readonly status?: string;
  readonly tool?: string;
  readonly provenance?: string;
  readonly cursor?: string;
}

export function addReceipts(program: Command): void {
  program
    .command('receipts')
    .description('list receipts, newest first, or show one (asks the running ledger)')
    .argument('[id]', 'a receipt id')
    .option('--session <id>', 'only of this session')
    .option('--root <id>', 'only of the work that began in this session, subagents included')
    .option('--task <id>', 'only of this task')
    .option('--status <list>', 'only in these states, separated by commas')
    .option('--tool <name>', 'only of this tool')
    .option('--provenance <live|imported>', 'only live or imported ones')
    .option('--limit <n>', 'at most so many', '20')
    .option('--cursor <cursor>', 'go on after the page that gave this')
    .option('--compat', 'show one in the keys of old receipts')
    .option('--json', 'print JSON')
    .action(async (id: string | undefined, options: Options) => {
      if (id === undefined) await list(options);
      else await show(id, options);
    });
}

async function show(id: string, options: Options): Promise<void> {
  const query = options.compat === true ? '?view=compat' : '';
  printJson(await api(apiSettings(process.env), 'GET', `/v1/receipts/${encodeURIComponent(id)}${query}`));
}

async function list(options: Options): Promise<void> {
  const { session, root, task, status, tool, provenance, limit, cursor } = options;
  const query = queryOf({ session, root, task, status, tool, provenance, limit, cursor });
  const page = await api<Page<ReceiptDocument>>(apiSettings(process.env), 'GET', `/v1/receipts${query}`);
  if (options.json === true) printJson(page);
  else printPage(receiptTable(page.items), page);
}

/** The table that the demo prints too. */
export function receiptTable(receipts: readonly ReceiptDocument[]): string {
  const rows = receipts.map((receipt) => [
    receipt.receiptId,
    receipt.turn,
    receipt.callId,
    receipt.tool.name,
    receipt.arguments.json,
    receipt.status,
    receipt.reason?.code ?? receipt.outcome?.error?.code ?? null,
    receipt.authorisation.kind,
    receipt.verification.state,
  ]);
  return table(['receipt', 'turn', 'call', 'tool', 'arguments', 'status', 'reason', 'authorised', 'verified'], rows, 34);
}
