const CODE_OF_OURS = /^[a-z][a-z0-9_]*$/;

/**
 * What a program says of the error that ends it. Errors of ours carry a code, which docs/errors.md lists, and their message is for people;
 * so is that of Node's (`ENOENT`). Of any other the stack is what there is to go by.
 */
export function lastWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, stack = message } = error;
  if (!('code' in error) || typeof error.code !== 'string') return stack;
  return CODE_OF_OURS.test(error.code) ? `${error.code}: ${message}` : message;
}
