/** What a subscription follows, and how far it is. */
export interface Followed {
  head(): Promise<bigint>;
  /** Null while nothing is followed. */
  position(): bigint | null;
}

/**
 * Looks every so often whether a subscription has gone quiet without an error (case 59): the head was ahead of it, and it did not move,
 * for a whole round.
 *
 * @param onStall is called once, after which nothing is watched any more
 * @returns ends it
 */
export function watchForStall(followed: Followed, everyMs: number, onStall: () => void): () => void {
  let behindAt: bigint | null = null;
  const timer = setInterval(() => {
    const at = followed.position();
    followed.head().then(
      (head) => {
        const isBehind = at !== null && head > at && followed.position() === at;
        if (isBehind && behindAt === at) {
          clearInterval(timer);
          onStall();
        }
        behindAt = isBehind ? at : null;
      },
      // The subscription meets the same fault, and says so.
      () => undefined,
    );
  }, everyMs);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}
