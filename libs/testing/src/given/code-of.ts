/** The `code` of the error that is thrown; null if none is thrown. An error without a code is no refusal: it goes through. */
export function codeOf(attempt: () => unknown): string | null {
  try {
    attempt();
    return null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
    throw error;
  }
}
