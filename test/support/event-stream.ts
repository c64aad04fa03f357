/** One message of a stream, and the id that a client would resume after once it has it. */
export interface StreamMessage {
  readonly event: string;
  readonly document: Readonly<Record<string, unknown>>;
  /** Null where the message had none. */
  readonly id: string | null;
  readonly lastEventId: string;
}

/** Reads a stream of server-sent events as a browser does: comments are skipped, `id` alone moves the place to resume. */
export class EventStreamClient {
  lastEventId = '';
  private readonly leaving = new AbortController();
  private frames: AsyncGenerator<StreamMessage | null, void, undefined> | null = null;

  private constructor(
    readonly status: number,
    readonly headers: Headers,
    private readonly body: ReadableStream<Uint8Array> | null,
  ) {}

  /** Opens a stream; a refusal is given back with its body unread. */
  static async open(url: string, key: string, query = '', headers: Record<string, string> = {}): Promise<EventStreamClient> {
    const leaving = new AbortController();
    const response = await fetch(new URL(`/v1/stream${query}`, url), {
      headers: { authorization: `Bearer ${key}`, ...headers },
      signal: leaving.signal,
    });
    const client = new EventStreamClient(response.status, response.headers, response.body);
    client.leaving.signal.addEventListener('abort', () => leaving.abort());
    return client;
  }

  /** Reads the first words of the stream: the position at which it begins. */
  async begin(): Promise<string> {
    this.frames ??= this.read();
    await this.frames.next();
    return this.lastEventId;
  }

  /** The next message; null when the server has ended the stream. */
  async next(): Promise<StreamMessage | null> {
    this.frames ??= this.read();
    for (;;) {
      const { value, done } = await this.frames.next();
      if (done === true) return null;
      if (value !== null) return value;
    }
  }

  /** So many messages. @throws Error when the stream ends before */
  async take(count: number): Promise<StreamMessage[]> {
    const taken: StreamMessage[] = [];
    while (taken.length < count) {
      const message = await this.next();
      if (message === null) throw new Error(`the stream ended after ${String(taken.length)} messages`);
      taken.push(message);
    }
    return taken;
  }

  /** Messages up to the first that fits, which is the last given. @throws Error when the stream ends before */
  async until(fits: (message: StreamMessage) => boolean): Promise<StreamMessage[]> {
    const taken: StreamMessage[] = [];
    for (;;) {
      const [message] = await this.take(1);
      if (message === undefined) return taken;
      taken.push(message);
      if (fits(message)) return taken;
    }
  }

  leave(): void {
    this.leaving.abort();
  }

  private async *read(): AsyncGenerator<StreamMessage | null, void, undefined> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of this.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) yield this.messageOf(frame);
    }
  }

  /** Null for a frame that only says where the stream is. */
  private messageOf(frame: string): StreamMessage | null {
    const fields = new Map(frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
    const id = fields.get('id') ?? null;
    if (id !== null) this.lastEventId = id;
    const data = fields.get('data');
    if (data === undefined) return null;
    const document = JSON.parse(data) as Record<string, unknown>;
    return { event: fields.get('event') ?? 'message', document, id, lastEventId: this.lastEventId };
  }
}
