import { usdcDecimals } from '@avm402/client/diagnosis';
import { formatAmount, formatMoney, withSeparators } from '@avm402/core/price';

export const ALGO_DECIMALS = 6;

/** An amount of µAlgo in ALGO, for a person. */
export function inAlgo(microAlgos: bigint): string {
  return withSeparators(formatAmount(microAlgos, ALGO_DECIMALS));
}

/** An amount of an asset whose decimals the node says, for a person: money if it is USDC. */
export function holdingInWords(amount: NodeAmount): string {
  return withSeparators(holdingAsText(amount));
}

/** The same as programs read it. */
export function holdingAsText({ network, assetId, decimals, amount }: NodeAmount): string {
  const isMoney = usdcDecimals(network, assetId.toString()) !== undefined;
  return isMoney ? formatMoney(amount, decimals) : formatAmount(amount, decimals);
}

interface NodeAmount {
  readonly network: string;
  readonly assetId: bigint;
  readonly decimals: number;
  readonly amount: bigint;
}
