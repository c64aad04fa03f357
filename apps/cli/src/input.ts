import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { CliError } from './cli-error.js';

/** The text of a file, or of standard input where the name is `-`. @throws CliError when it can't be read */
export async function readInput(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new CliError(`${file} can't be read (${code}).`);
  }
}
