import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

type Methods = Readonly<Record<string, (...args: never[]) => unknown>>;

/** The methods of a process as its parent has them. */
export type Remote<M> = {
  readonly [K in keyof M]: M[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;
};

interface Question {
  readonly id: number;
  readonly method: string;
  readonly args: readonly never[];
}
interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** In the child: answers its parent, one question after the other as they come, and ends with it. */
export function serve(methods: Methods): void {
  process.on('message', ({ id, method, args }: Question) => {
    void (async (): Promise<Answer> => {
      try {
        const work = methods[method];
        if (work === undefined) throw new Error(`there is no ${method}`);
        return { id, value: await work(...args) };
      } catch (error) {
        return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
      }
    })().then((answer) => process.send?.(answer));
  });
  process.on('disconnect', () => {
    process.exit(0);
  });
  // Its first word: it is ready.
  process.send?.({ id: 0 } satisfies Answer);
}

export interface RemoteProcess<M> {
  readonly call: Remote<M>;
  stop(): Promise<void>;
}

/**
 * Starts a program of this folder that `serve`s these methods, in a process of its own, which ends with this one.
 * @param file relative to this folder
 */
export async function startRemote<M extends object>(file: string, args: readonly string[] = []): Promise<RemoteProcess<M>> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [...args], {
    execArgv: ['--import', 'tsx'],
    // Jest's own flags are not the child's.
    env: { ...process.env, NODE_OPTIONS: '' },
    serialization: 'advanced',
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code) => {
      for (const [id, answer] of waiting) answer({ id, error: `${file} ended with ${String(code)}` });
      waiting.clear();
      resolve();
    });
  });
  child.on('message', (answer: Answer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  await answered(waiting, 0);
  return {
    call: remoteOf<M>(child, waiting),
    stop: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

function remoteOf<M>(child: ChildProcess, waiting: Map<number, (answer: Answer) => void>): Remote<M> {
  let last = 0;
  const call =
    (method: string) =>
    (...args: unknown[]): Promise<unknown> => {
      if (!child.connected) return Promise.reject(new Error('the process has ended'));
      const id = ++last;
      child.send({ id, method, args });
      return answered(waiting, id);
    };
  // Awaiting it must not look like asking it for `then`.
  return new Proxy({}, { get: (_, method) => (typeof method === 'string' && method !== 'then' ? call(method) : undefined) }) as Remote<M>;
}

function answered(waiting: Map<number, (answer: Answer) => void>, id: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    waiting.set(id, ({ value, error }) => {
      if (error === undefined) resolve(value);
      else reject(new Error(error));
    });
  });
}
