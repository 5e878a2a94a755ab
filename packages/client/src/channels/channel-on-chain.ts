import type { AlgodClient } from '@avm402/algorand/algod';
import { type ChannelConfig, channelId } from '@avm402/avm/batch-settlement';
import { CHANNEL_MINIMUM_BALANCE } from '@avm402/avm/batch-settlement/client';
import { X402Error } from '@avm402/core/errors';
import { networkOfGenesis, networksEqual } from '@avm402/core/network';

/** The state of a channel, as the buyer's own node knows it. */
export type ChannelOnChain = { readonly round: bigint } & (
  | { readonly state: 'open'; readonly balance: bigint }
  /** A close could not pay out the rest: the channel's account belongs to the payer now, and holds `balance`. */
  | { readonly state: 'handed-over'; readonly balance: bigint }
  /** It holds nothing: paid out, or never opened. */
  | { readonly state: 'empty' }
);

/**
 * Asks the buyer's own node about a channel.
 * @throws X402Error `network_mismatch`; what algod throws
 */
export async function channelOnChain(
  config: ChannelConfig,
  algod: AlgodClient,
  signal?: AbortSignal,
): Promise<ChannelOnChain> {
  const id = channelId(config);
  const { genesisHash } = await algod.params({ signal });
  const network = networkOfGenesis(config.genesisHash);
  if (!networksEqual(networkOfGenesis(genesisHash), network)) {
    throw new X402Error('network_mismatch', { message: `algod at ${algod.url} does not belong to ${network}` });
  }
  const holding = await algod.accountAsset(id, config.token, { signal });
  const { authAddress, round, minBalance } = await algod.account(id, { signal });
  // Several nodes may answer at one address: the one that knows of no holding may be behind this round.
  if (!holding && minBalance < CHANNEL_MINIMUM_BALANCE) return { state: 'empty', round };
  return { state: authAddress === undefined ? 'open' : 'handed-over', balance: holding?.amount ?? 0n, round };
}
