import type { Channel } from './record/channel.ts';

/** What a seller's channels owe, and a way to close them. */
export interface SellerChannels {
  /**
   * Channels that are neither closed nor lost, in the order of their ids. `charged` is what a channel owes.
   * @throws X402Error `store_unavailable`
   */
  list(): AsyncIterable<Channel>;
  /**
   * Closes a channel: takes no more vouchers, waits for the requests under way, and claims what it owes. Resolves when
   * the claim is confirmed.
   * @throws X402Error `invalid_batch_settlement_avm_channel_not_found`, `store_unavailable`; `channel_not_closed`,
   * after which it is tried again
   */
  close(channelId: string): Promise<Channel>;
  /**
   * Stops looking for channels to close. Call it before the process ends. With `close`, it closes all of them first.
   * Resolves when nothing is under way. What could not be closed is reported, and closed after the next start.
   */
  stop(options?: { readonly close?: boolean }): Promise<void>;
}
