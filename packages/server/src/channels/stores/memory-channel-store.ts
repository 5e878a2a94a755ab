import type { Channel, ChannelRequest } from '../record/channel.ts';
import type {
  ChangeOutcome,
  ChannelChange,
  ChannelPage,
  ChannelStore,
  RememberedRequest,
} from '../record/channel-store.ts';

/**
 * Keeps channels in this process, for tests and trials: what a channel owes is lost when the process ends. A seller of
 * anything that matters keeps them on disk.
 */
export function createMemoryChannelStore(): ChannelStore {
  return new MemoryChannelStore();
}

class MemoryChannelStore implements ChannelStore {
  readonly #channels = new Map<string, Channel>();
  /** By channel, then by amount. */
  readonly #requests = new Map<string, Map<bigint, ChannelRequest>>();
  /** The channel of each deposit, by TxID. */
  readonly #deposits = new Map<string, string>();
  #claimKey: Uint8Array | undefined;

  get(channelId: string): Promise<Channel | undefined> {
    return Promise.resolve(this.#channels.get(channelId));
  }

  write(changes: readonly ChannelChange[]): Promise<readonly ChangeOutcome[]> {
    return Promise.resolve(changes.map((change) => this.#write(change)));
  }

  async remembered(channelId: string): Promise<readonly RememberedRequest[]> {
    const requests = [...(this.#requests.get(channelId)?.values() ?? [])];
    return requests
      .toSorted((one, other) => (one.amount < other.amount ? -1 : 1))
      .map(({ amount, charge, owner, buyer }) => ({
        amount,
        charge,
        owner,
        ...(buyer && { paymentId: buyer.paymentId }),
      }));
  }

  request(channelId: string, amount: bigint): Promise<ChannelRequest | undefined> {
    return Promise.resolve(this.#requests.get(channelId)?.get(amount));
  }

  hasDeposit(txId: string): Promise<boolean> {
    return Promise.resolve(this.#deposits.has(txId));
  }

  async unfinished({ after = '', limit }: ChannelPage): Promise<readonly Channel[]> {
    return [...this.#channels.values()]
      .filter((channel) => channel.channelId > after && !isOver(channel))
      .toSorted((one, other) => (one.channelId < other.channelId ? -1 : 1))
      .slice(0, limit);
  }

  async prune(now: number): Promise<void> {
    for (const requests of this.#requests.values()) {
      for (const { response, ...request } of requests.values()) {
        if (response !== undefined && response.keptUntil <= now) requests.set(request.amount, request);
      }
    }
  }

  claimKey(made: Uint8Array): Promise<Uint8Array> {
    this.#claimKey ??= Uint8Array.from(made);
    return Promise.resolve(this.#claimKey);
  }

  #write({ next, previous, requests = [], deposits = [] }: ChannelChange): ChangeOutcome {
    if (this.#channels.get(next.channelId)?.version !== previous) return 'outdated';
    if (deposits.some((txId) => this.#deposits.has(txId))) return 'outdated';
    this.#channels.set(next.channelId, next);
    for (const txId of deposits) this.#deposits.set(txId, next.channelId);
    if (isOver(next)) this.#forget(next.channelId);
    else this.#remember(next, requests);
    return 'stored';
  }

  #forget(channelId: string): void {
    this.#requests.delete(channelId);
    for (const [txId, channel] of this.#deposits) if (channel === channelId) this.#deposits.delete(txId);
  }

  #remember({ channelId, floor }: Channel, requests: readonly ChannelRequest[]): void {
    const known = this.#requests.get(channelId) ?? new Map<bigint, ChannelRequest>();
    this.#requests.set(channelId, known);
    for (const request of requests) known.set(request.amount, request);
    for (const amount of known.keys()) if (amount < floor) known.delete(amount);
  }
}

function isOver({ state }: Channel): boolean {
  return state === 'closed' || state === 'lost';
}
