import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { safeDisplay } from '@counterfoil/redaction';
import { CliError } from './cli-error.js';

const DEFAULT_URL = 'http://127.0.0.1:4810';

export interface ApiSettings {
  readonly url: string;
  readonly key: string;
}

/**
 * Where the running ledger is and with which key to speak to it: `COUNTERFOIL_URL` and `COUNTERFOIL_API_KEY`; on the same machine the
 * first admin key is found by itself (design §5).
 */
export function apiSettings(environment: NodeJS.ProcessEnv): ApiSettings {
  const url = environment['COUNTERFOIL_URL'] ?? `http://127.0.0.1:${environment['COUNTERFOIL_PORT'] ?? '4810'}`;
  const given = environment['COUNTERFOIL_API_KEY'];
  if (given !== undefined && given !== '') return { url, key: given };
  const file = join(environment['COUNTERFOIL_KEYS'] ?? './data/keys', 'admin.key');
  if (!existsSync(file)) {
    throw new CliError(`No key: set COUNTERFOIL_API_KEY, or run this where ${file} lies (npm start makes it).`, 2);
  }
  return { url, key: readFileSync(file, 'utf8').trim() };
}

/** Asks the running ledger. @throws CliError with the problem's own words, or with what to do when nobody answers */
export async function api<T>(settings: ApiSettings, method: string, path: string, body?: unknown): Promise<T> {
  return apiText<T>(settings, method, path, body === undefined ? undefined : JSON.stringify(body));
}

/** The same with a body that is JSON text already: sent as it stands, so that nothing in it is read anew on the way. */
export async function apiText<T>(settings: ApiSettings, method: string, path: string, text: string | undefined): Promise<T> {
  let response: Response;
  try {
    response = await fetch(new URL(path, settings.url || DEFAULT_URL), {
      method,
      headers: { authorization: `Bearer ${settings.key}`, ...(text === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(text === undefined ? {} : { body: text }),
    });
  } catch (error) {
    throw new CliError(
      `No ledger answers at ${settings.url}: start it with npm start, or set COUNTERFOIL_URL. (${String((error as Error).cause ?? error)})`,
    );
  }
  const answer: unknown = await response.json();
  if (response.ok) return answer as T;
  const { code, detail, advice, errors } = answer as { code?: string; detail?: string; advice?: string; errors?: unknown };
  const more = errors === undefined ? '' : ` ${JSON.stringify(errors)}`;
  throw new CliError(safeDisplay(`${code ?? String(response.status)}: ${detail ?? ''} ${advice ?? ''}${more}`.trim()));
}
