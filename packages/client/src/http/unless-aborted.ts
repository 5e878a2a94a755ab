/**
 * The result of work that knows no signal. If the signal comes first, rejects with its reason, and whatever the work
 * comes to is dropped.
 */
export async function unlessAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T> | T): Promise<T> {
  if (!signal) return work();
  signal.throwIfAborted();
  let abort = (): void => {};
  const aborted = new Promise<void>((resolve) => {
    abort = resolve;
    signal.addEventListener('abort', abort);
  });
  try {
    const result = Promise.resolve(work());
    await Promise.race([result, aborted]);
    signal.throwIfAborted();
    return await result;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
