import { redactText } from '@counterfoil/redaction';

/** Structured log lines, one JSON object each. Fields are facts of ours (ids, codes, counts): never a payload (promise 21). */
export interface Logger {
  error(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

export const LOGGER = Symbol('logger');

const LEVELS = { silent: 0, error: 1, info: 2, debug: 3 } as const;
export type LogLevel = keyof typeof LEVELS;

/** @param write takes one line without its end; standard error unless given */
export function createLogger(level: LogLevel, write: (line: string) => void = (line) => process.stderr.write(`${line}\n`)): Logger {
  const log =
    (at: Exclude<LogLevel, 'silent'>) =>
    (message: string, fields: LogFields = {}) => {
      if (LEVELS[at] > LEVELS[level]) return;
      const plain = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, loggable(value)]));
      // The last guard: what slipped into a message or a stack is still redacted by pattern.
      write(redactText(JSON.stringify({ time: new Date().toISOString(), level: at, message, ...plain })));
    };
  return { error: log('error'), info: log('info'), debug: log('debug') };
}

function loggable(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (!(value instanceof Error)) return value;
  const code = 'code' in value && typeof value.code === 'string' ? value.code : undefined;
  // The message of a foreign error may quote data; its name, code and place don't.
  const at = value.stack
    ?.split('\n')
    .filter((line) => line.trimStart().startsWith('at '))
    .slice(0, 8);
  return { name: value.name, code, at };
}
