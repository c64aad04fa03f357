import type { Command } from 'commander';
import type { Page, ReceiptDocument } from '@counterfoil/contracts';
import { api, apiSettings } from '../api.js';
import { print, printJson, table } from '../output.js';

interface Options {
  readonly json?: boolean;
  readonly compat?: boolean;
  readonly limit: string;
  readonly session?: string;
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
  const { session, status, tool, provenance, limit, cursor } = options;
  const given = Object.entries({ session, status, tool, provenance, limit, cursor });
  const query = new URLSearchParams(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
  const page = await api<Page<ReceiptDocument>>(apiSettings(process.env), 'GET', `/v1/receipts?${query.toString()}`);
  if (options.json === true) {
    printJson(page);
    return;
  }
  print(receiptTable(page.items));
  if (page.nextCursor !== null) print(`\nMore: --cursor ${page.nextCursor}`);
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
