import type { ChannelConfig } from '@avm402/avm/batch-settlement';

/** What a settlement does to a channel. */
export type ChannelMove =
  | ChannelOpening
  | {
      readonly kind: 'top-up' | (typeof CHANNEL_ENDINGS)[number];
      /** The channel's address. */
      readonly id: string;
    };

/** The first deposit. Its row holds what is known of the channel, as long as the channel can hold money. */
export interface ChannelOpening {
  readonly kind: 'open';
  readonly id: string;
  readonly config: ChannelConfig;
  /** The account whose signature a claim needs. */
  readonly claimAuthorizer: string;
}

/** The moves that end a channel. Only one of them happens; after it the channel holds nothing for the seller. */
export const CHANNEL_ENDINGS = ['close', 'hand-over', 'refund'] as const;

export const CHANNEL_MOVES = ['open', 'top-up', ...CHANNEL_ENDINGS] as const;

export function isEnding({ kind }: ChannelMove): boolean {
  return CHANNEL_ENDINGS.some((ending) => ending === kind);
}

/** Whether the move returns the ALGO to the funder. A channel that was handed over keeps it. */
export function returnsAlgo({ kind }: ChannelMove): boolean {
  return kind === 'close' || kind === 'refund';
}
