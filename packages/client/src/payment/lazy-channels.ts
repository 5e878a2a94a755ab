import type { Channels, OpenChannelsOptions } from '../channels/open-channels.ts';
import type { PayerChannels } from '../channels/payer-channels.ts';

/** Channels that are loaded when they are first used: a page that pays without them does not fetch their code. */
export class LazyChannels {
  readonly #options: OpenChannelsOptions;
  #loading: Promise<Channels> | undefined;

  constructor(options: OpenChannelsOptions) {
    this.#options = options;
  }

  /** Rejects with what the platform throws if their code can't be fetched. */
  load(): Promise<Channels> {
    this.#loading ??= import('../channels/open-channels.ts').then(
      ({ openChannels }) => openChannels(this.#options),
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
  }

  /** The operations of the channels' payer. */
  readonly owned: PayerChannels = {
    list: async () => (await this.load()).owned.list(),
    close: async (id) => (await this.load()).owned.close(id),
    recover: async (id) => (await this.load()).owned.recover(id),
    find: async (network, from) => (await this.load()).owned.find(network, from),
  };

  /** Stores what is known of each channel, if channels were used. */
  async rest(): Promise<void> {
    await (await this.#loading)?.book.rest();
  }
}
