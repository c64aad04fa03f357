import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Job, JobReport } from './job.js';

export interface RunningJob {
  readonly child: ChildProcess;
  /** Resolves when the process has printed a line that begins so. */
  printed(text: string): Promise<void>;
  /** How it ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Its report; throws with what it wrote to its error output when it ended without one. */
  report(): Promise<JobReport>;
}

/**
 * Runs a job in a process of its own.
 * @param nodeFlags for example a limit of the heap
 */
export function runJob(job: Job, nodeFlags: readonly string[] = []): RunningJob {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const child = spawn(process.execPath, [...nodeFlags, '--import', 'tsx', main, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Jest's own flags are not the job's.
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let output = '';
  let errors = '';
  const listeners = new Set<() => void>();
  const heard = (): void => listeners.forEach((listener) => listener());
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    heard();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => {
      resolve({ code, signal });
      heard();
    });
  });
  const printed = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const isThere = output.split('\n').some((line) => line.startsWith(text));
        if (!isThere && child.exitCode === null && child.signalCode === null) return;
        listeners.delete(look);
        if (isThere) resolve();
        else reject(new Error(`the process ended without ${text}: ${errors}`));
      };
      listeners.add(look);
      look();
    });
  const report = async (): Promise<JobReport> => {
    await ended;
    const line = output.split('\n').find((candidate) => candidate.startsWith('{'));
    if (line === undefined) throw new Error(`the process gave no report: ${errors}`);
    return JSON.parse(line) as JobReport;
  };
  return { child, printed, ended, report };
}
