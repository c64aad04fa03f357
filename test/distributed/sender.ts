import { setTimeout as sleep } from 'node:timers/promises';
import { Http } from '../demo/agent.js';

/** What a server answered to a command that it took. */
export interface Taken<T> {
  readonly body: T;
  /** How often it was sent before. */
  readonly retries: number;
}

const MOST_TRIES = 200;
const LONGEST_PAUSE_MS = 250;

/** A refusal that no further try can turn into an acknowledgement. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** Sends commands to any server, and each again, to any server, until one has answered it. */
export class Sender {
  /** Why commands were sent again: by the code of the answer, or `broken` where there was none. */
  readonly retries = new Map<string, number>();

  /** @param urls of the servers */
  constructor(
    private readonly urls: readonly string[],
    private readonly key: string,
  ) {}

  /** @param first the number of the server that is asked first @throws RefusedError */
  async command<T>(first: number, path: string, body: unknown): Promise<Taken<T>> {
    const text = JSON.stringify(body);
    for (let attempt = 0; attempt < MOST_TRIES; attempt++) {
      // Every second try goes to the other server: what it is told must not rest on who was asked.
      const answer = await this.once(first + Math.floor(attempt / 2) + attempt, 'POST', path, text);
      if (answer !== null && answer.status < 300) return { body: answer.body as T, retries: attempt };
      const { code = '' } = (answer?.body ?? {}) as { code?: string };
      if (answer !== null && answer.status !== 503)
        throw new RefusedError(`${path}: ${String(answer.status)} ${JSON.stringify(answer.body)}`);
      const why = answer === null ? 'broken' : code;
      this.retries.set(why, (this.retries.get(why) ?? 0) + 1);
      await sleep(Math.random() * Math.min(LONGEST_PAUSE_MS, 10 * 2 ** attempt));
    }
    throw new RefusedError(`${path}: no answer after ${String(MOST_TRIES)} tries`);
  }

  /** Null where the connection broke. */
  async once(
    server: number,
    method: string,
    path: string,
    text?: string,
    headers: Record<string, string> = {},
  ): Promise<{ readonly status: number; readonly body: unknown } | null> {
    const url = this.urls[server % this.urls.length] ?? '';
    try {
      return await new Http(url, this.key).raw(method, path, text, headers);
    } catch {
      return null;
    }
  }
}
