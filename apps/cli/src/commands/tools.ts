import type { Command } from 'commander';
import type { Page, ToolDocument } from '@counterfoil/contracts';
import { safeDisplay } from '@counterfoil/redaction';
import { api, apiSettings, apiText } from '../api.js';
import { readInput } from '../input.js';
import { print, printJson, printPage, queryOf, table } from '../output.js';

interface ListOptions {
  readonly source?: string;
  readonly state?: string;
  readonly limit: string;
  readonly cursor?: string;
  readonly json?: boolean;
}

export function addTools(program: Command): void {
  const tools = program.command('tools').description('list, register and retire tools (asks the running ledger)');
  tools
    .command('list', { isDefault: true })
    .description('list registered tools')
    .option('--source <source>', 'only of this source')
    .option('--state <state>', 'registered or retired')
    .option('--limit <n>', 'at most so many', '50')
    .option('--cursor <cursor>', 'go on after the page that gave this')
    .option('--json', 'print JSON')
    .action(list);
  tools
    .command('register')
    .description('register a tool, or its newest spec')
    .argument('<file>', 'the JSON body of POST /v1/tools; - reads standard input')
    .action(async (file: string) => {
      const text = await readInput(file);
      const { tool } = await apiText<{ tool: ToolDocument }>(apiSettings(process.env), 'POST', '/v1/tools', text);
      print(`${safeDisplay(tool.source)} ${safeDisplay(tool.name)} is registered as ${tool.sideEffects}, ${tool.specDigest}`);
    });
  tools
    .command('retire')
    .description('retire a tool: it is then treated as one that is not registered')
    .argument('<source>')
    .argument('<name>')
    .option('--reason <text>', 'recorded with it')
    .action(async (source: string, name: string, { reason }: { reason?: string }) => {
      const body = { source, name, ...(reason === undefined ? {} : { reason }) };
      await api(apiSettings(process.env), 'POST', '/v1/tools/retire', body);
      print(`${safeDisplay(source)} ${safeDisplay(name)} is retired`);
    });
}

async function list({ source, state, limit, cursor, json }: ListOptions): Promise<void> {
  const query = queryOf({ source, state, limit, cursor });
  const page = await api<Page<ToolDocument>>(apiSettings(process.env), 'GET', `/v1/tools${query}`);
  if (json === true) printJson(page);
  else printPage(toolTable(page.items), page);
}

function toolTable(tools: readonly ToolDocument[]): string {
  const rows = tools.map((tool) => [
    tool.source,
    tool.name,
    tool.version,
    tool.state,
    tool.sideEffects,
    tool.duplicates,
    tool.effect?.kind ?? null,
    tool.inputSchema === null ? 'no' : 'yes',
  ]);
  return table(['source', 'name', 'version', 'state', 'class', 'duplicates', 'effect', 'schema'], rows);
}
