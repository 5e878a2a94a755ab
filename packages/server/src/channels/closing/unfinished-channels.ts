import type { PaymentEvent } from '../../payment-event.ts';
import { storing } from '../../stores/storing.ts';
import type { Channel } from '../record/channel.ts';
import type { ChannelStore } from '../record/channel-store.ts';

const PAGE = 500;

/**
 * Channels that are open or closing, page by page in the order of their ids. A channel that can't be read is
 * reported and left out: the others still owe what they owe.
 * @throws X402Error `store_unavailable`
 */
export async function* unfinishedChannels(
  store: Pick<ChannelStore, 'unfinished'>,
  report: (event: PaymentEvent) => void,
): AsyncIterable<readonly Channel[]> {
  for (let after: string | undefined; ;) {
    const asked = { limit: PAGE, ...(after !== undefined && { after }) };
    const page = await storing(() => store.unfinished(asked));
    yield page.flatMap((channel) => {
      if (!('error' in channel)) return [channel];
      const { channelId, error } = channel;
      report({ type: 'failed', route: 'channels', code: 'store_unavailable', channelId, error });
      return [];
    });
    if (page.length < PAGE) return;
    after = page.at(-1)?.channelId;
  }
}
