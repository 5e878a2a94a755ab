import { LOCALNET, MAINNET, TESTNET } from '@avm402/algorand/networks';
import { algorandNetwork, networksEqual } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { formatPrice, parseAtomicAmount, parsePrice } from '@avm402/core/price';

/** An asset that may be spent, with a limit in its own units. */
export interface AllowedAsset {
  /** CAIP-2, any spelling. */
  readonly network: string;
  readonly asset: string;
  /** Atomic units per payment. */
  readonly maxPerPayment: bigint;
}

export interface SpendPolicy {
  /** Dollars per payment for assets with a known dollar price (USDC). Default `"$1"`. */
  readonly maxPerPayment?: string;
  /** Assets beside USDC. */
  readonly allowedAssets?: readonly AllowedAsset[];
  /** If given, only these receivers are paid. */
  readonly allowedPayTo?: readonly string[];
  /** If given, only these networks (CAIP-2, any spelling). */
  readonly allowedNetworks?: readonly string[];
}

const DEFAULT_MAX_PER_PAYMENT = '$1';
const USDC_DECIMALS = 6;
const USDC = [MAINNET, TESTNET, LOCALNET].map(({ genesisHash, usdcAssetId }) => ({
  network: algorandNetwork(genesisHash),
  asset: usdcAssetId.toString(),
}));

/** Why the policy forbids an offer, in words for a person; undefined if it allows it. */
export function whyNotSpend(policy: SpendPolicy, offer: PaymentRequirements): string | undefined {
  const { allowedPayTo, allowedNetworks } = policy;
  if (allowedPayTo && !allowedPayTo.includes(offer.payTo)) return `the receiver ${offer.payTo} is not allowed`;
  if (allowedNetworks && !allowedNetworks.some((network) => networksEqual(network, offer.network))) {
    return `the network ${offer.network} is not allowed`;
  }
  return whyNotAmount(policy, offer);
}

function whyNotAmount(policy: SpendPolicy, offer: PaymentRequirements): string | undefined {
  const amount = parseAtomicAmount(offer.amount);
  const same = ({ network, asset }: { readonly network: string; readonly asset: string }): boolean =>
    asset === offer.asset && networksEqual(network, offer.network);
  const allowed = policy.allowedAssets?.find(same);
  if (allowed) {
    if (amount <= allowed.maxPerPayment) return undefined;
    return `${amount} units of asset ${offer.asset} exceed the limit of ${allowed.maxPerPayment} per payment`;
  }
  if (!USDC.some(same)) return `the asset ${offer.asset} on ${offer.network} is not allowed`;
  const maximum = policy.maxPerPayment ?? DEFAULT_MAX_PER_PAYMENT;
  if (amount <= parsePrice(maximum, USDC_DECIMALS)) return undefined;
  return `${formatPrice(amount, USDC_DECIMALS)} exceeds the limit of ${maximum} per payment`;
}
