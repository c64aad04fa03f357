import type { Command } from 'commander';

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run the ledger here: HTTP API and projections (settings: docs/operations.md)')
    .action(async () => {
      // The server is an app of its own, and apps don't import each other: it is started by its place in the build.
      const server = new URL('../../../server/src/main.js', import.meta.url);
      await import(server.href);
    });
}
