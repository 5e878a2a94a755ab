import type { AlgodClient } from '@avm402/algorand/algod';
import type { Network } from '@avm402/core/network';
import type { ChannelConfig } from '../channel-config.ts';
import type { Sponsor } from '../../sponsorship/sponsor.ts';

/** The channels for which the sponsor lends the ALGO, among those of the sellers and assets that it sponsors. */
export interface ChannelPolicy {
  /**
   * Ids, in decimal, of the assets that are worth something: amounts are bounds in these alone. In others ALGO is lent
   * to nobody, because a deposit that is worth nothing does not make its payer give it back. Absent: any asset.
   */
  readonly assets?: ReadonlySet<string>;
  /** The smallest deposit that opens a channel, atomic units. */
  readonly minDeposit: bigint;
  /** The fewest and the most rounds from the current round to the channel's expiry. */
  readonly minRounds: bigint;
  readonly maxRounds: bigint;
  /**
   * The smallest claim for which the channel's account is handed over if its payer can't receive: the value of the ALGO
   * in it.
   */
  readonly handOverAmount: bigint;
  /** The most rounds since a deposit's window began. */
  readonly maxAge: bigint;
}

/** The record of a channel whose opening is confirmed. */
export interface KnownChannel {
  /** The claim key whose signature a claim needs. */
  readonly claimAuthorizer: string;
  /** Whether no transaction that ends the channel is confirmed or under way. */
  readonly isOpen: boolean;
  /** The round of its opening: a node that has not reached it knows no such channel. */
  readonly openedIn: bigint;
}

/** An Algorand network on which a facilitator opens and closes channels. */
export interface ChannelNetwork {
  /** CAIP-2, short form. */
  readonly network: Network;
  /** Standard base64, 44 characters. */
  readonly genesisHash: string;
  readonly algod: Pick<AlgodClient, 'simulate' | 'params' | 'account' | 'accountAsset'>;
  /** The latest round that is known without asking a node. */
  lastRound(): bigint;
  /**
   * Closes channels, pays the fees of their groups and lends the ALGO, from whichever of its accounts a channel names.
   */
  readonly sponsor: Sponsor;
  readonly policy: ChannelPolicy;
  /** The record of a channel; `undefined` if its opening is not confirmed. */
  known(channelId: string): Promise<KnownChannel | undefined>;
  /** Whether the channel's address was used by an opening that is confirmed or may still be confirmed. */
  isUsed(channelId: string): Promise<boolean>;
  /** Whether the payer may open another channel, and the receiver may have another. */
  hasPlaceFor(parties: Pick<ChannelConfig, 'payer' | 'receiver'>): Promise<boolean>;
  /** The only keys, as addresses, with which channels to the receiver may be claimed; `undefined`: any. */
  claimKeysOf(receiver: string): ReadonlySet<string> | undefined;
}
