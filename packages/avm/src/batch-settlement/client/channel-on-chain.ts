import type { AlgodClient } from '@avm402/algorand/algod';
import { X402Error } from '@avm402/core/errors';
import { networkOfGenesis, networksEqual } from '@avm402/core/network';
import { channelState, type ChannelState } from '../channel-account.ts';
import { type ChannelConfig, channelId } from '../channel-config.ts';

/** A channel as the buyer's own node shows it. */
export interface ChannelOnChain {
  readonly state: ChannelState;
  /** The amount of its token, atomic units. */
  readonly balance: bigint;
  /** A round before the balance was read: every deposit up to it is in the balance. */
  readonly since: bigint;
  /** The round of its state. */
  readonly round: bigint;
}

/**
 * Asks the buyer's own node about a channel.
 * @throws X402Error `network_mismatch`; what algod throws
 */
export async function channelOnChain(
  config: ChannelConfig,
  algod: Pick<AlgodClient, 'url' | 'params' | 'accountAsset' | 'account'>,
  signal?: AbortSignal,
): Promise<ChannelOnChain> {
  const id = channelId(config);
  const { genesisHash, lastRound: since } = await algod.params({ signal });
  const network = networkOfGenesis(config.genesisHash);
  if (!networksEqual(networkOfGenesis(genesisHash), network)) {
    throw new X402Error('network_mismatch', { message: `algod at ${algod.url} does not belong to ${network}` });
  }
  const holding = await algod.accountAsset(id, config.token, { signal });
  const account = await algod.account(id, { signal });
  const state = channelState(account);
  // Several nodes may answer at one address: the one that shows no holding may be behind this round, and so may this.
  const balance = holding?.amount ?? 0n;
  return { state: holding && state === 'empty' ? 'open' : state, balance, since, round: account.round };
}
