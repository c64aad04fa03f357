/** What the person at the terminal is told: one sentence, no stack. Exit code 1, or 2 for a wrong use. */
export class CliError extends Error {
  constructor(
    detail: string,
    readonly exitCode = 1,
  ) {
    super(detail);
    this.name = 'CliError';
  }
}
