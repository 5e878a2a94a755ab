import type { Channel } from './record/channel.ts';

/** What a seller's channels owe, and a way to close them. */
export interface SellerChannels {
  /**
   * Channels that are neither closed nor lost, in the order of their ids; `charged` is what each of them owes.
   * @throws X402Error `store_unavailable`
   */
  list(): AsyncIterable<Channel>;
  /**
   * Closes a channel: takes no more vouchers, waits for the requests under way, claims what it owes. Resolves when the claim
   * is confirmed.
   * @throws X402Error `invalid_batch_settlement_avm_channel_not_found`, `store_unavailable`; `channel_not_closed`: it is
   * tried again
   */
  close(channelId: string): Promise<Channel>;
  /**
   * Looks no more for channels to close; call it before the process ends. With `close` it closes all of them first.
   * Resolves when nothing is under way; what could not be closed is reported, and closed after the next start.
   */
  stop(options?: { readonly close?: boolean }): Promise<void>;
}
