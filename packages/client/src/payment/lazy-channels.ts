import { loadedOnce } from '@avm402/core/loaded-once';
import type { Channels, OpenChannelsOptions } from '../channels/open-channels.ts';
import type { PayerChannels } from '../channels/payer-channels.ts';

/** Channels that are loaded when they are first used: a page that pays without them does not fetch their code. */
export class LazyChannels {
  readonly #options: OpenChannelsOptions;
  #loaded: Channels | undefined;

  constructor(options: OpenChannelsOptions) {
    this.#options = options;
  }

  /** The channels, once they were used. */
  get loaded(): Channels | undefined {
    return this.#loaded;
  }

  /** Rejects with what the platform throws if their code can't be fetched. */
  readonly load = loadedOnce(async () => {
    const { openChannels } = await import('../channels/open-channels.ts');
    return (this.#loaded = openChannels(this.#options));
  });

  /** The operations of the channels' payer. */
  readonly owned: PayerChannels = {
    list: async () => (await this.load()).owned.list(),
    close: async (id) => (await this.load()).owned.close(id),
    recover: async (id) => (await this.load()).owned.recover(id),
    find: async (network, from) => (await this.load()).owned.find(network, from),
  };

  /** Stores what is known of each channel, if channels were used. */
  async save(): Promise<void> {
    await this.#loaded?.book.save();
  }
}
