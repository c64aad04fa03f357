import type { Command } from 'commander';
import type { KeyView } from '@counterfoil/contracts';
import { api, apiSettings } from '../api.js';
import { print, printJson, table } from '../output.js';

interface CreateOptions {
  readonly principal: string;
  readonly role: string[];
  readonly user?: string;
  readonly workspace?: string;
  readonly expires?: string;
  readonly id?: string;
  readonly json?: boolean;
}

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('make, list and revoke API keys (asks the running ledger)');
  keys
    .command('create')
    .description('make a key; its secret is printed once and kept nowhere')
    .requiredOption('--principal <who>', 'agent:…, person:… or service:…')
    .requiredOption('--role <role...>', 'agent, approver, auditor, importer, admin, operator')
    .option('--user <id>', 'the user for whom an agent acts')
    .option('--workspace <id>', 'another workspace: makes it with its first key (operators only)')
    .option('--expires <time>', 'RFC 3339')
    .option('--id <keyId>', 'choose the key id')
    .option('--json', 'print JSON')
    .action(async (options: CreateOptions) => {
      const { principal, role, user, workspace, expires, id } = options;
      const given = { principal, roles: role, userId: user, workspace, expiresAt: expires, keyId: id };
      const key = await api<KeyView & { secret: string }>(apiSettings(process.env), 'POST', '/v1/keys', given);
      if (options.json === true) printJson(key);
      else print(key.secret);
    });
  keys
    .command('list')
    .description("list the workspace's keys")
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { items } = await api<{ items: KeyView[] }>(apiSettings(process.env), 'GET', '/v1/keys');
      if (json === true) printJson(items);
      else
        print(
          table(
            ['key', 'principal', 'workspace', 'user', 'roles', 'expires', 'revoked'],
            items.map((key) => [
              key.keyId,
              key.principal,
              key.workspace,
              key.userId,
              key.roles.join(','),
              key.expiresAt,
              key.revoked ? 'yes' : 'no',
            ]),
          ),
        );
    });
  keys
    .command('revoke')
    .description('revoke a key')
    .argument('<keyId>')
    .action(async (keyId: string) => {
      const key = await api<KeyView>(apiSettings(process.env), 'DELETE', `/v1/keys/${encodeURIComponent(keyId)}`);
      print(`${key.keyId} is revoked`);
    });
}
