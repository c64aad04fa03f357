import { StoreSettingsError, StoreUnavailableError } from '@counterfoil/event-store';
import { DocumentStoreSettingsError, DocumentStoreUnavailableError } from '@counterfoil/read-models';
import { z } from 'zod';
import { LedgerStartError } from './errors.js';
import {
  DEFAULT_STREAM_PREFIX,
  EventsUrl,
  ReadModelsUrl,
  withPrefix,
  type EventsLocation,
  type ReadModelsLocation,
} from './stores/locations.js';

/** `17MiB`, `64KiB` or a number of bytes. */
const byteSize = z
  .string()
  .regex(/^[1-9][0-9]{0,11}\s?(KiB|MiB)?$/, 'must be a number of bytes, or of KiB or MiB')
  .transform((text) => {
    const unit = text.endsWith('KiB') ? 1024 : text.endsWith('MiB') ? 1024 * 1024 : 1;
    return Number.parseInt(text, 10) * unit;
  });

/** As the adapter of EventStoreDB has it: a prefix of system streams (`$…`) would be refused or hidden by the server. */
const PREFIX = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const DEFAULT_FILE = './data/counterfoil.db';

const SCHEMA = z.object({
  COUNTERFOIL_EVENTS: EventsUrl.prefault(`sqlite:${DEFAULT_FILE}`),
  COUNTERFOIL_READ_MODELS: ReadModelsUrl.optional(),
  COUNTERFOIL_STREAM_PREFIX: z
    .string()
    .regex(PREFIX, 'must have 1 to 64 characters of [A-Za-z0-9._-], the first a letter or digit')
    .default(DEFAULT_STREAM_PREFIX),
  COUNTERFOIL_HOST: z.string().min(1).default('127.0.0.1'),
  COUNTERFOIL_PORT: z.coerce.number().int().min(0).max(65535).default(4810),
  COUNTERFOIL_KEYS: z.string().min(1).default('./data/keys'),
  COUNTERFOIL_BODY_LIMIT: byteSize.prefault('17MiB'),
  COUNTERFOIL_LOG: z.enum(['silent', 'error', 'info', 'debug']).default('info'),
});

/** The settings of a process (design §8); docs/operations.md lists them. */
export interface Settings {
  readonly events: EventsLocation;
  readonly readModels: ReadModelsLocation;
  readonly host: string;
  readonly port: number;
  readonly keysDirectory: string;
  readonly bodyLimitBytes: number;
  readonly log: 'silent' | 'error' | 'info' | 'debug';
}

/**
 * Reads the settings from environment variables; empty ones count as unset.
 *
 * @throws LedgerStartError `invalid_settings`, naming each variable and what it must be (never its value: it may hold a password)
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const given = Object.fromEntries(Object.entries(environment).filter(([name, value]) => name.startsWith('COUNTERFOIL_') && value !== ''));
  const parsed = SCHEMA.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
    throw new LedgerStartError('invalid_settings', `Settings that can't be used: ${faults.join('; ')}`);
  }
  const { data } = parsed;
  return {
    events: withPrefix(data.COUNTERFOIL_EVENTS, data.COUNTERFOIL_STREAM_PREFIX),
    readModels: data.COUNTERFOIL_READ_MODELS ?? besideEvents(data.COUNTERFOIL_EVENTS),
    host: data.COUNTERFOIL_HOST,
    port: data.COUNTERFOIL_PORT,
    keysDirectory: data.COUNTERFOIL_KEYS,
    bodyLimitBytes: data.COUNTERFOIL_BODY_LIMIT,
    log: data.COUNTERFOIL_LOG,
  };
}

/** In the file of the events, where those are in one: a ledger in another place than the default one isn't to meet that one's read models. */
const besideEvents = (events: { readonly kind: string; readonly file?: string }): ReadModelsLocation => ({
  kind: 'sqlite',
  file: events.file ?? DEFAULT_FILE,
});

/**
 * Does what opens the stores of the settings, or listens where they say, and names the setting that is behind an error: who starts a
 * process knows the variables, not the parts. Never its value: it may hold a password.
 *
 * @throws LedgerStartError `invalid_settings`; StoreUnavailableError, DocumentStoreUnavailableError; any other error as it is
 */
export async function namingSettings<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    throw withSetting(error);
  }
}

function withSetting(error: unknown): unknown {
  if (error instanceof StoreSettingsError) return new LedgerStartError('invalid_settings', `COUNTERFOIL_EVENTS: ${error.message}`);
  if (error instanceof DocumentStoreSettingsError)
    return new LedgerStartError('invalid_settings', `COUNTERFOIL_READ_MODELS: ${error.message}`);
  const more = { cause: error };
  if (error instanceof StoreUnavailableError) return new StoreUnavailableError(`COUNTERFOIL_EVENTS: ${error.message}`, more);
  if (error instanceof DocumentStoreUnavailableError)
    return new DocumentStoreUnavailableError(`COUNTERFOIL_READ_MODELS: ${error.message}`, more);
  return error instanceof Error ? withNetworkSetting(error) : error;
}

/** What Node itself says of a name or an address quotes it. */
function withNetworkSetting(error: NodeJS.ErrnoException): Error {
  const { code = 'unknown', syscall = '' } = error;
  // MongoDB's driver looks up the servers behind a name (mongodb+srv) before it connects, and passes on what that says.
  if (/^query(?:Srv|Txt)$/.test(syscall)) {
    const detail = `COUNTERFOIL_READ_MODELS: the servers of the host that it names can't be looked up (${code}).`;
    return new LedgerStartError('invalid_settings', detail);
  }
  if (syscall !== 'listen' && !(syscall === 'getaddrinfo' && 'hostname' in error)) return error;
  const detail = `COUNTERFOIL_HOST and COUNTERFOIL_PORT: nothing can listen there (${code})${code === 'EADDRINUSE' ? ', another program does' : ''}.`;
  return new LedgerStartError('invalid_settings', detail);
}
