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

const SCHEMA = z.object({
  COUNTERFOIL_EVENTS: EventsUrl.prefault('sqlite:./data/counterfoil.db'),
  COUNTERFOIL_READ_MODELS: ReadModelsUrl.prefault('sqlite:./data/counterfoil.db'),
  COUNTERFOIL_STREAM_PREFIX: z.string().default(DEFAULT_STREAM_PREFIX),
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
    readModels: data.COUNTERFOIL_READ_MODELS,
    host: data.COUNTERFOIL_HOST,
    port: data.COUNTERFOIL_PORT,
    keysDirectory: data.COUNTERFOIL_KEYS,
    bodyLimitBytes: data.COUNTERFOIL_BODY_LIMIT,
    log: data.COUNTERFOIL_LOG,
  };
}
