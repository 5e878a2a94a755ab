import { BatchSettlementAvmServer } from '@avm402/avm/batch-settlement/server';
import { X402Error } from '@avm402/core/errors';
import { loadedOnce } from '@avm402/core/loaded-once';
import type { ServedScheme } from '../exchange/exchange.ts';
import { type ChannelOptions, type ChannelsContext, checkChannelOptions } from './channel-options.ts';
import { CHANNELS } from './serving/channel-receipt.ts';
import type { Channels, SellerChannels } from './channels.ts';

/** Most characters that the terms of channels, and the correction of a 402, may add to an offer. */
const MAX_TERMS = 900;

/** Payments by channels; undefined for a seller that keeps no record of them. */
export function channelScheme(channels: Promise<Channels> | undefined): ServedScheme {
  return {
    scheme: CHANNELS,
    offers: {
      server: BatchSettlementAvmServer,
      maxTerms: MAX_TERMS,
      ...(channels === undefined
        ? { missing: 'channels need a record: createSeller({ server, channels: { store } })' }
        : { terms: async () => ({ claimAuthorizer: (await (await channels).claimKey()).address }) }),
    },
    load: loadedOnce(async () => {
      if (channels === undefined) throw new X402Error('no_matching_offer');
      const [{ serveByChannel }, loaded] = await Promise.all([import('./serving/serve-by-channel.ts'), channels]);
      return (exchange, payload) => serveByChannel({ ...exchange, channels: loaded }, payload);
    }),
  };
}

/**
 * The channels of a seller that has the option, whose code is loaded for it alone.
 * @throws X402Error `invalid_option`, at once
 */
export function openChannels(options: ChannelOptions, context: ChannelsContext): Promise<Channels> {
  checkChannelOptions(options);
  return import('./channels.ts').then((loaded) => new loaded.Channels(options, context));
}

/** The channels as a seller shows them, which can be used before they are loaded. */
export function shownChannels(channels: Promise<Channels>): SellerChannels {
  return {
    async *list() {
      yield* (await channels).list();
    },
    close: async (channelId) => (await channels).close(channelId),
    stop: async (options) => (await channels).stop(options),
  };
}
