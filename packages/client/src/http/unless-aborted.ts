/**
 * Resolves to the result of work that takes no signal. Rejects with the signal's reason if it aborts first; the result
 * is then dropped.
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
