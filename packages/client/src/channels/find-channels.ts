import type { AlgodClient } from '@avm402/algorand/algod';
import { type ChannelConfig, parseChannelProgram } from '@avm402/avm/batch-settlement';
import { networkOfGenesis } from '@avm402/core/network';
import { fieldOf, membersOf, roundsBetween } from '../own-node/block-record.ts';
import type { ChannelRecord } from './channel-record.ts';

/**
 * Searches blocks for the groups that opened a payer's channels: the program that signs a channel's opt-in contains its
 * whole configuration.
 * @throws what algod throws, also for a block that it no longer has
 */
export async function findChannels(
  algod: AlgodClient,
  payer: string,
  { from, to }: { readonly from: bigint; readonly to: bigint },
): Promise<ChannelRecord[]> {
  const found: ChannelRecord[] = [];
  for (const rounds of roundsBetween(from, to)) {
    const blocks = await Promise.all(rounds.map((round) => algod.block(round)));
    for (const config of blocks.flatMap(openedIn)) if (config.payer === payer) found.push(recordOf(config));
  }
  return found;
}

/** The configurations of the channels that opted in to their asset in a block. */
function openedIn(record: unknown): ChannelConfig[] {
  return membersOf(record).flatMap((member) => {
    const program = fieldOf(fieldOf(member, 'lsig'), 'l');
    const isOptIn = fieldOf(fieldOf(member, 'txn'), 'aclose') === undefined;
    const config = isOptIn && program instanceof Uint8Array ? parseChannelProgram(program) : undefined;
    return config ? [config] : [];
  });
}

function recordOf(config: ChannelConfig): ChannelRecord {
  const network = networkOfGenesis(config.genesisHash);
  return { config, network, state: 'closing', deposits: [], charged: 0n, signed: 0n, signedUpTo: 0n };
}
