import type { AlgodClient } from '@avm402/algorand/algod';
import type { Network } from '@avm402/core/network';
import type { ChannelConfig } from '../channel-config.ts';
import type { Sponsor } from '../../sponsorship/sponsor.ts';

/** Which channels the sponsor lends the ALGO for, of the sellers and assets whose payments it sponsors. */
export interface ChannelPolicy {
  /** Least deposit that opens a channel, atomic units. */
  readonly minDeposit: bigint;
  /** Least and most rounds from where the chain is to the channel's expiry. */
  readonly minRounds: bigint;
  readonly maxRounds: bigint;
  /** Least claim that hands the channel's account over where its payer can't receive: what the ALGO in it are worth. */
  readonly handOverAmount: bigint;
  /** Most rounds since a deposit's window began. */
  readonly maxAge: bigint;
}

/** What is recorded of a channel whose opening is confirmed. */
export interface KnownChannel {
  /** Whose signature a claim needs. */
  readonly claimAuthorizer: string;
  /** Whether nothing that ends the channel is confirmed or under way. */
  readonly isOpen: boolean;
}

/** One Algorand network on which a facilitator opens and closes channels. */
export interface ChannelNetwork {
  /** CAIP-2, short form. */
  readonly network: Network;
  /** Standard base64, 44 characters. */
  readonly genesisHash: string;
  readonly algod: Pick<AlgodClient, 'simulate' | 'params' | 'account' | 'accountAsset'>;
  /** The latest round that is known without asking. */
  lastRound(): bigint;
  /** Who closes channels, pays the fees of their groups and lends the ALGO: any of its accounts that a channel names. */
  readonly sponsor: Sponsor;
  readonly policy: ChannelPolicy;
  /** What is recorded of a channel; `undefined`: its opening is not confirmed. */
  known(channelId: string): Promise<KnownChannel | undefined>;
  /** Whether the channel's address was used by an opening that came, or may come, to the chain. */
  isUsed(channelId: string): Promise<boolean>;
  /** Whether the payer may open one channel more, and the receiver have one more. */
  hasPlaceFor(parties: Pick<ChannelConfig, 'payer' | 'receiver'>): Promise<boolean>;
  /** Whether channels to the receiver may be claimed with this key, an address: any where none is known. */
  isClaimKey(receiver: string, claimAuthorizer: string): boolean;
}
