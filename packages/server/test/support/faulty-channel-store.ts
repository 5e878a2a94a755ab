import type { ChannelStore } from '../../src/channels/record/channel-store.ts';
import { createMemoryChannelStore } from '../../src/channels/stores/memory-channel-store.ts';

/**
 * What happens at one call of a store: it works; it fails and has done nothing; it has done its work and fails all the same,
 * as when a connection breaks before the answer.
 */
export type Fault = 'works' | 'fails' | 'answer is lost';

/** A store in memory that fails as it is told, call by call; then it works. */
export interface FaultyStore extends ChannelStore {
  /** What happens at the next writes. */
  readonly writes: Fault[];
  /** What happens at the next reads. */
  readonly reads: Fault[];
  /** Calls of `write` so far. */
  readonly written: () => number;
}

export function faultyChannelStore(store: ChannelStore = createMemoryChannelStore()): FaultyStore {
  const writes: Fault[] = [];
  const reads: Fault[] = [];
  let written = 0;
  const through = async <T>(faults: Fault[], call: () => Promise<T>): Promise<T> => {
    const fault = faults.shift() ?? 'works';
    // As a store with a connection: others get their turn meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
    if (fault === 'fails') throw new Error('the disk is full');
    const result = await call();
    if (fault === 'answer is lost') throw new Error('the connection broke');
    return result;
  };
  return {
    writes,
    reads,
    written: () => written,
    write: (changes) => {
      written++;
      return through(writes, () => store.write(changes));
    },
    get: (channelId) => through(reads, () => store.get(channelId)),
    remembered: (channelId) => through(reads, () => store.remembered(channelId)),
    request: (channelId, amount) => through(reads, () => store.request(channelId, amount)),
    hasDeposit: (txId) => through(reads, () => store.hasDeposit(txId)),
    unfinished: (page) => store.unfinished(page),
    prune: (now) => store.prune(now),
    claimKey: (made) => store.claimKey(made),
  };
}
