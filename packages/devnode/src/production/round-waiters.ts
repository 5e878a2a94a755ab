import { shuttingDown, type DevnodeError } from '../errors.ts';

interface Waiter {
  readonly round: bigint;
  readonly resolve: () => void;
  readonly reject: (error: DevnodeError) => void;
}

/** The callers that wait for a round. */
export class RoundWaiters {
  readonly #waiters = new Set<Waiter>();
  #closed = false;

  /** Resolves when the round is reached, the time is up or the signal aborts; rejects when the node closes. */
  wait(
    round: bigint,
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<void> {
    if (this.#closed) return Promise.reject(shuttingDown());
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        this.#waiters.delete(waiter);
      };
      const giveUp = (): void => {
        settle();
        resolve();
      };
      const waiter: Waiter = {
        round,
        resolve: giveUp,
        reject: (error) => {
          settle();
          reject(error);
        },
      };
      const timer = setTimeout(giveUp, timeoutMs);
      signal?.addEventListener('abort', giveUp);
      this.#waiters.add(waiter);
    });
  }

  reached(round: bigint): void {
    for (const waiter of this.#waiters) if (waiter.round <= round) waiter.resolve();
  }

  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiters) waiter.reject(shuttingDown());
  }
}
