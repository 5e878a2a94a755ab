import type { AlgodClient } from '@avm402/algorand/algod';

/** Remembers when each round was seen, ms of `performance.now`. */
export interface BlockClock {
  seenAt(round: bigint): number | undefined;
  stop(): Promise<void>;
}

/** Watches a node's rounds by waiting for each block. */
export async function startBlockClock(algod: AlgodClient): Promise<BlockClock> {
  const seen = new Map<bigint, number>();
  const stopped = new AbortController();
  let { lastRound } = await algod.status();
  const watch = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const next = await algod.waitForBlockAfter(lastRound, { signal: stopped.signal });
      const now = performance.now();
      for (let round = lastRound + 1n; round <= next.lastRound; round++) seen.set(round, now);
      ({ lastRound } = next);
    }
  };
  const watching = watch().catch((error: unknown) => {
    if (!stopped.signal.aborted) throw error;
  });
  return {
    seenAt: (round) => seen.get(round),
    async stop() {
      stopped.abort();
      await watching;
    },
  };
}
