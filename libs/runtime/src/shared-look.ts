export interface SharedLookOptions {
  /** After so long a look counts as failed for who asks, though it may still come to its end. Milliseconds. */
  readonly limitMs: number;
  /** A question within this time after a look is answered from it; default 0: from one that is under way only. */
  readonly freshMs?: number;
  /** Milliseconds of a clock that never steps back. */
  readonly clock?: () => number;
}

interface Look<T> {
  readonly begunAt: number;
  /** Null: it failed. Never rejects. */
  readonly result: Promise<T | null>;
}

/**
 * Something that whoever watches the process asks for, and that a store which can't be reached may hold up: it is looked at once for all
 * who ask at the same time, so that questions don't pile up behind one that hangs, and each is answered in time.
 */
export class SharedLook<T> {
  private readonly limitMs: number;
  private readonly freshMs: number;
  private readonly clock: () => number;
  private current: Look<T> | null = null;
  private last: { readonly at: number; readonly value: T | null } | null = null;

  constructor(
    private readonly read: () => Promise<T>,
    { limitMs, freshMs = 0, clock = () => performance.now() }: SharedLookOptions,
  ) {
    this.limitMs = limitMs;
    this.freshMs = freshMs;
    this.clock = clock;
  }

  /** Null when it failed, or has taken too long already. */
  async get(): Promise<T | null> {
    if (this.current === null && this.last !== null && this.clock() - this.last.at < this.freshMs) return this.last.value;
    this.current ??= this.begin();
    const { begunAt, result } = this.current;
    return within(result, Math.max(0, this.limitMs - (this.clock() - begunAt)));
  }

  private begin(): Look<T> {
    return { begunAt: this.clock(), result: this.readNow() };
  }

  private async readNow(): Promise<T | null> {
    // Begins in a turn of its own: a read that throws at once is one that fails.
    const value = await Promise.resolve()
      .then(() => this.read())
      .catch(() => null);
    this.last = { at: this.clock(), value };
    this.current = null;
    return value;
  }
}

async function within<T>(result: Promise<T | null>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => {
      resolve(null);
    }, ms);
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}
