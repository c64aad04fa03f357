import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

export interface UploadAnswer {
  readonly status: number;
  readonly connection: string | undefined;
  readonly body: Record<string, unknown>;
}

/** An upload whose body is sent by hand, over a connection of its own. */
export class HandUpload {
  private readonly request: ClientRequest;
  /** Null where the connection ended without an answer. */
  readonly answer: Promise<UploadAnswer | null>;

  constructor(url: string, key: string, path: string, headers: Readonly<Record<string, string>> = {}) {
    this.request = request(new URL(path, url), {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson', ...headers },
    });
    this.answer = once(this.request, 'response').then(
      ([response]) => read(response as IncomingMessage),
      () => null,
    );
    this.request.on('error', () => undefined);
    this.request.flushHeaders();
  }

  /** Resolves when there is room for more. */
  async send(part: string | Uint8Array): Promise<void> {
    if (this.request.destroyed || this.request.write(part)) return;
    const enough = new AbortController();
    const { signal } = enough;
    await Promise.race([once(this.request, 'drain', { signal }), once(this.request, 'close', { signal })]);
    enough.abort();
  }

  end(): Promise<UploadAnswer | null> {
    this.request.end();
    return this.answer;
  }

  /** Goes away without a word. */
  leave(): void {
    this.request.destroy();
  }
}

async function read(response: IncomingMessage): Promise<UploadAnswer> {
  const body = JSON.parse(await text(response)) as Record<string, unknown>;
  return { status: response.statusCode ?? 0, connection: response.headers.connection, body };
}
