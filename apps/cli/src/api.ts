import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { safeDisplay } from '@counterfoil/redaction';
import { CliError } from './cli-error.js';

export interface ApiSettings {
  /** Scheme, host and port: nothing in it that must not be shown. */
  readonly url: string;
  readonly key: string;
}

/**
 * Where the running ledger is and with which key to speak to it: `COUNTERFOIL_URL` and `COUNTERFOIL_API_KEY`; on the same machine the
 * first admin key is found by itself (design §5).
 *
 * @throws CliError 2 for an address that can't be used, or without a key
 */
export function apiSettings(environment: NodeJS.ProcessEnv): ApiSettings {
  const url = originOf(environment['COUNTERFOIL_URL'] ?? `http://127.0.0.1:${environment['COUNTERFOIL_PORT'] ?? '4810'}`);
  const key = environment['COUNTERFOIL_API_KEY'];
  if (key !== undefined) return { url, key };
  const file = join(environment['COUNTERFOIL_KEYS'] ?? './data/keys', 'admin.key');
  if (!existsSync(file)) {
    throw new CliError(`No key: set COUNTERFOIL_API_KEY, or run this where ${file} lies (npm start makes it).`, 2);
  }
  return { url, key: readFileSync(file, 'utf8').trim() };
}

/** Never quotes what it was given: it may hold a password. */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new CliError('COUNTERFOIL_URL must be http://<host>:<port> or https://…; without it COUNTERFOIL_PORT must be a port.', 2);
  }
  if (url.username !== '' || url.password !== '') {
    throw new CliError('COUNTERFOIL_URL must name no user and no password: the ledger takes neither, but COUNTERFOIL_API_KEY.', 2);
  }
  return url.origin;
}

/** Asks the running ledger. @throws CliError with the problem's own words, or with what to do when nobody answers */
export async function api<T>(settings: ApiSettings, method: string, path: string, body?: unknown): Promise<T> {
  return apiText<T>(settings, method, path, body === undefined ? undefined : JSON.stringify(body));
}

/** The same with a body that is JSON text already: sent as it stands, so that nothing in it is read anew on the way. */
export async function apiText<T>(settings: ApiSettings, method: string, path: string, text: string | undefined): Promise<T> {
  const { ok, status, body } = await send(settings, method, path, text);
  const answer = jsonOf(body);
  if (ok && answer !== null) return answer as T;
  const { code, detail, advice, errors } = (answer ?? {}) as { code?: unknown; detail?: string; advice?: string; errors?: unknown };
  if (typeof code !== 'string') {
    throw new CliError(
      `What answers at ${settings.url} is no server of Counterfoil, or stands before it (${String(status)}): see COUNTERFOIL_URL.`,
    );
  }
  const more = errors === undefined ? '' : ` ${JSON.stringify(errors)}`;
  throw new CliError(safeDisplay(`${code}: ${detail ?? ''} ${advice ?? ''}${more}`.trim()));
}

interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly body: string;
}

async function send({ url, key }: ApiSettings, method: string, path: string, text: string | undefined): Promise<Answer> {
  try {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { authorization: `Bearer ${key}`, ...(text === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(text === undefined ? {} : { body: text }),
    });
    return { ok: response.ok, status: response.status, body: await response.text() };
  } catch (error) {
    throw new CliError(`No ledger answers at ${url}: start it with npm start, or set COUNTERFOIL_URL. (${reasonOf(error)})`);
  }
}

/** The code of what is behind a request that failed: messages may quote the key or the address. */
function reasonOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return 'unknown';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}

/** An object, or null for anything else: none of ours. */
function jsonOf(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
