import type { AlgodClient } from '@avm402/algorand/algod';
import type { Network } from '@avm402/core/network';
import { parseAtomicAmount } from '@avm402/core/price';
import { command, valueOf } from './command/command.ts';
import { addressOf, algodOf, ENVIRONMENT_HELP } from './options/environment.ts';
import { networkOf } from './node/node-network.ts';
import { holdingInWords, inAlgo } from './words/node-amount.ts';

const help = `Usage: avm402 balance [ADDRESS] [options]

Shows an account's ALGO and USDC. Without ADDRESS, the account of the environment.

      --asset ID          an asset other than USDC
      --json              one JSON object instead of text

${ENVIRONMENT_HELP}`;

/** An account's holding of one asset. */
interface Holding {
  readonly assetId: bigint;
  readonly name: string;
  readonly decimals: number;
  /** Atomic units; undefined if the account has not opted in. */
  readonly amount: bigint | undefined;
  readonly isFrozen: boolean;
}

export const balance = command({
  summary: 'show what an account holds',
  help,
  options: { asset: { type: 'string' }, json: { type: 'boolean' } },
  positionals: ['[ADDRESS]'],
  async run({ asset }, { environment }, named) {
    const address = addressOf(named, 'balance', environment);
    const assetId = asset === undefined ? undefined : valueOf('--asset', () => parseAtomicAmount(asset));
    const held = await balanceOf(address, algodOf(environment), assetId);
    return { json: held, lines: balanceLines(held) };
  },
});

/** An account's holdings on one network. */
export interface Balance {
  readonly address: string;
  readonly network: Network;
  readonly microAlgos: bigint;
  readonly minBalance: bigint;
  readonly authAddress?: string;
  readonly asset?: Holding;
}

/**
 * Asks algod for an account and one asset; without `asset`, the USDC of algod's network.
 * @throws what algod throws
 */
export async function balanceOf(address: string, algod: AlgodClient, asset?: bigint): Promise<Balance> {
  const { network, usdc } = await networkOf(algod);
  const assetId = asset ?? usdc;
  const { amount: microAlgos, minBalance, authAddress } = await algod.account(address);
  const holding = assetId === undefined ? undefined : await holdingOf(algod, address, assetId);
  return {
    address,
    network,
    microAlgos,
    minBalance,
    ...(authAddress !== undefined && { authAddress }),
    ...(holding && { asset: holding }),
  };
}

function balanceLines({ address, network, microAlgos, minBalance, authAddress, asset }: Balance): string[] {
  return [
    `${address} on ${network}`,
    `  ALGO  ${inAlgo(microAlgos)}, of which ${inAlgo(minBalance)} must stay`,
    ...(authAddress === undefined ? [] : [`  rekeyed to ${authAddress}`]),
    ...(asset ? [`  ${describeHolding(asset, network)}`] : []),
  ];
}

async function holdingOf(algod: AlgodClient, address: string, assetId: bigint): Promise<Holding> {
  const [asset, held] = await Promise.all([algod.asset(assetId), algod.accountAsset(address, assetId)]);
  const name = asset?.unitName ?? `asset ${assetId}`;
  return { assetId, name, decimals: asset?.decimals ?? 0, amount: held?.amount, isFrozen: held?.isFrozen ?? false };
}

function describeHolding({ assetId, name, decimals, amount, isFrozen }: Holding, network: Network): string {
  if (amount === undefined) return `${name}  not opted in to asset ${assetId}; avm402 optin does that`;
  const held = holdingInWords({ network, assetId, decimals, amount });
  return `${name}  ${held} (asset ${assetId})${isFrozen ? ', frozen' : ''}`;
}
