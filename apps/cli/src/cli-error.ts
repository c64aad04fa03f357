/** What the person at the terminal is told: one sentence, no stack. Exit code 1, 2 for a wrong use, 3 for a ledger that is not whole. */
export class CliError extends Error {
  constructor(
    detail: string,
    readonly exitCode = 1,
  ) {
    super(detail);
    this.name = 'CliError';
  }
}
