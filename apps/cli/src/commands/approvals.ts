import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { ApprovalDocument, CallAnswer, Page } from '@counterfoil/contracts';
import { safeDisplay } from '@counterfoil/redaction';
import { api, apiSettings } from '../api.js';
import { CliError } from '../cli-error.js';
import { print, printJson, printPage, queryOf, table } from '../output.js';

interface ShownApproval extends ApprovalDocument {
  readonly call: {
    readonly tool: { readonly source: string; readonly name: string };
    readonly requestedBy: string;
    readonly shown: string;
    readonly amendment: { readonly by: string; readonly shown: string } | null;
  };
}

interface ListOptions {
  readonly state: string;
  readonly limit?: string;
  readonly cursor?: string;
  readonly json?: boolean;
}

interface DecideOptions {
  readonly operation?: string;
  readonly note?: string;
  readonly yes?: boolean;
}

export function addApprovals(program: Command): void {
  program
    .command('approvals')
    .description('list approvals (asks the running ledger)')
    .option('--state <state>', 'pending, granted, consumed, denied, expired or voided', 'pending')
    .option('--limit <n>', 'at most so many', '20')
    .option('--cursor <cursor>', 'go on after the page that gave this')
    .option('--json', 'print JSON')
    .action(list);
  decision(program, 'approve', 'grant', 'show what would run, and grant it');
  decision(program, 'deny', 'deny', 'show what would run, and deny it');
}

async function list({ state, limit, cursor, json }: ListOptions): Promise<void> {
  const page = await api<Page<ApprovalDocument>>(apiSettings(process.env), 'GET', `/v1/approvals${queryOf({ state, limit, cursor })}`);
  if (json === true) {
    printJson(page);
    return;
  }
  const rows = page.items.map((item) => [item.approvalId, item.sessionId, item.receiptId, item.state, item.expiresAt]);
  printPage(table(['approval', 'session', 'receipt', 'state', 'expires'], rows), page);
}

function decision(program: Command, name: string, verb: 'grant' | 'deny', description: string): void {
  program
    .command(name)
    .description(`${description} (asks the running ledger)`)
    .argument('<approval>', 'an approval id')
    .option('--operation <id>', 'decide only if it is this operation; without it you are shown the operation and asked')
    .option('--note <text>', 'recorded with the decision')
    .option('--yes', 'do not ask')
    .action(async (approvalId: string, options: DecideOptions) => {
      const settings = apiSettings(process.env);
      const path = `/v1/approvals/${encodeURIComponent(approvalId)}`;
      const operationId =
        options.operation ?? (await confirmed(await api<ShownApproval>(settings, 'GET', path), verb, options.yes === true));
      const body = { operationId, ...(options.note === undefined ? {} : { note: options.note }) };
      const { call } = await api<CallAnswer>(settings, 'POST', `${path}/${verb}`, body);
      print(`${call.receiptId} is ${call.status}`);
    });
}

/** Shows exactly what is decided upon, and gives back the operation that was shown (promise 8). */
async function confirmed(approval: ShownApproval, verb: string, yes: boolean): Promise<string> {
  const { tool, requestedBy, shown, amendment } = approval.call;
  print(`requested by  ${requestedBy}`);
  // The agent chose these: nothing in them may move the cursor or turn the text around (case 23).
  print(`tool          ${safeDisplay(tool.source)} ${safeDisplay(tool.name)}`);
  print(`arguments     ${shown}`);
  if (amendment !== null) print(`asked for     ${amendment.shown} (edited by ${amendment.by})`);
  print(`operation     ${approval.operationId}`);
  print(`expires       ${approval.expiresAt}`);
  if (yes) return approval.operationId;
  if (!process.stdin.isTTY) throw new CliError('Not decided: name the operation with --operation, or say --yes.', 2);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const said = await terminal.question(`Really ${verb} this? [y/N] `);
    if (!/^y(es)?$/i.test(said.trim())) throw new CliError('Not decided.');
  } finally {
    terminal.close();
  }
  return approval.operationId;
}
