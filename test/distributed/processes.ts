import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { ledgerEnvironment, ROOT } from '../support/server-process.js';

export type App = 'server' | 'projector';

/** A built app, as a process of its own. */
export interface AppProcess {
  readonly url: string;
  readonly pid: number;
  /** The last of what it logged. */
  log(): string;
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal and waits for the end; gives the exit code, null after SIGKILL. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Null as long as it runs. */
  exit(): string | null;
}

const START_WITHIN_MS = 60_000;
const LOG_CHARACTERS = 200_000;

/**
 * Starts a built app (run the build first), on a free port of 127.0.0.1.
 * @param directory of its keys
 * @throws Error when it doesn't come up, with its output
 */
export async function startApp(app: App, directory: string, more: Readonly<Record<string, string>>): Promise<AppProcess> {
  const main = join(ROOT, 'dist/apps', app, 'src/main.js');
  const child = spawn(process.execPath, [main], { env: ledgerEnvironment(directory, more), stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-LOG_CHARACTERS);
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  const url = await address(app, child, () => log);
  return {
    url,
    pid: child.pid ?? 0,
    log: () => log,
    signal: (signal) => {
      child.kill(signal);
    },
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
    exit: () => (child.exitCode === null && child.signalCode === null ? null : String(child.signalCode ?? child.exitCode)),
  };
}

function address(app: App, child: ChildProcess, log: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(`the ${app} ${why}: ${output}${log()}`));
    };
    const timer = setTimeout(() => {
      fail('did not start');
    }, START_WITHIN_MS);
    child.once('exit', (code) => {
      fail(`ended with ${String(code)}`);
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
