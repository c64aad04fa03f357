import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Path of a file or folder of the shared corpus, which lies beside the repository; null where it doesn't. */
export function sharedHistory(name: string): string | null {
  const path = fileURLToPath(new URL(`../../../shared/history/${name}`, import.meta.url));
  return existsSync(path) ? path : null;
}
