/** Resolves after a time. Rejects with the signal's reason. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export const sleep: Sleep = async (ms, signal) => {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
  signal?.throwIfAborted();
};

/**
 * Begins a time limit; the function says how many milliseconds are left of it. A clock that is set back to before the
 * beginning ends it, because it would else last for as long as that.
 */
export function startTimeLimit(limitMs: number, now: () => number): () => number {
  const start = now();
  return () => {
    const passed = now() - start;
    return passed < 0 ? 0 : limitMs - passed;
  };
}
