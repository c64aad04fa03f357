import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SERVER = join(ROOT, 'dist/apps/server/src/main.js');
const START_WITHIN_MS = 30_000;

export interface ServerProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** The first admin key of the ledger in `directory`. */
  readonly adminKey: string;
  /** What it wrote to its error stream: the log. */
  log(): string;
  /** Sends a signal and waits for the end; gives the exit code, null after SIGKILL. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Environment of a ledger whose files all lie in one directory, on a free port of 127.0.0.1. */
export function ledgerEnvironment(directory: string, more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return {
    ...process.env,
    COUNTERFOIL_EVENTS: `sqlite:${join(directory, 'counterfoil.db')}`,
    COUNTERFOIL_READ_MODELS: `sqlite:${join(directory, 'counterfoil.db')}`,
    COUNTERFOIL_KEYS: join(directory, 'keys'),
    COUNTERFOIL_PORT: '0',
    COUNTERFOIL_HOST: '127.0.0.1',
    ...more,
  };
}

/** Starts the built server (run the build first) as a process of its own. @throws Error when it doesn't come up, with its output */
export async function startServerProcess(directory: string, more: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const child = spawn(process.execPath, [SERVER], { env: ledgerEnvironment(directory, more), stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-1_000_000);
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  const url = await address(child, () => log);
  return {
    url,
    child,
    adminKey: readFileSync(join(directory, 'keys', 'admin.key'), 'utf8').trim(),
    log: () => log,
    end: async (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

async function address(child: ChildProcess, log: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the server did not start: ${output}${log()}`));
    }, START_WITHIN_MS);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${String(code)}: ${output}${log()}`));
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const url = /running at (http:\S+)/.exec(output)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
  });
}

/** Runs the built `counterfoil` command in the ledger's environment, over this standard input; gives exit code and output. */
export async function runCli(
  directory: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
  input = '',
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [join(ROOT, 'dist/apps/cli/src/main.js'), ...args], {
    env: ledgerEnvironment(directory, more),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A command that doesn't read it may be over before it is written.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  return { code, stdout, stderr };
}
