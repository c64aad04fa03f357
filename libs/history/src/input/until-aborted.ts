const ignore = (): void => undefined;

/** Hands on what the source gives until the signal aborts, also while something is awaited that never comes. */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (let next = await nextOf(iterator, signal); next !== null; next = await nextOf(iterator, signal)) {
      if (next.done === true) {
        ended = true;
        return;
      }
      yield next.value;
    }
  } finally {
    // Not awaited: a source that never answers would not answer this either.
    if (!ended) iterator.return?.().then(ignore, ignore);
  }
}

/** The next result, or null if the signal comes first. Leaves no listener behind, however long the source is. */
function nextOf<T>(iterator: AsyncIterator<T>, signal: AbortSignal | undefined): Promise<IteratorResult<T> | null> {
  if (signal === undefined) return iterator.next();
  if (signal.aborted) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      resolve(null);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    iterator
      .next()
      .finally(() => {
        signal.removeEventListener('abort', onAbort);
      })
      .then(resolve, reject);
  });
}
