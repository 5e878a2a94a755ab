import { X402Error, type X402ErrorCode } from '@avm402/core/errors';
import { canonicalNetwork, isAlgorandNetwork } from '@avm402/core/network';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { type AssetAmount, assetKey, costAsText, USD, type Cost } from '../budget/cost.ts';
import type { AlgodOf } from '../own-node/network-access.ts';
import type { Spending } from '../budget/spending.ts';
import { BY_CHANNEL, type Refusal, type SpendPolicy, UPTO } from '../budget/spend-policy.ts';

/** An offer that can be paid. */
export interface ChosenOffer {
  /** The URL that answered 402, whatever the offer says about its resource. */
  readonly url: URL;
  readonly required: PaymentRequired;
  /** The chosen entry of `required.accepts`. */
  readonly requirements: PaymentRequirements;
  readonly cost: Cost;
  /** The cost as text, for example `$0.01`; for `upto` and `batch-settlement`, the most that it can be. */
  readonly price: string;
  /** Whether the facilitator pays the network fee. */
  readonly sponsored: boolean;
  /** The deposit that leaves the account now, instead of the price: it opens a channel, or adds to one. */
  readonly deposit?: Deposit;
}

/** A deposit of a channel. */
export interface Deposit {
  /** Atomic units. */
  readonly amount: bigint;
  readonly cost: Cost;
  /** The same as text, for example `$1`. */
  readonly price: string;
}

type Judged = Pick<ChosenOffer, 'cost' | 'deposit'>;

/** Returns what paying an offer takes out of the account now, or the reason why it can't be paid. */
type OutlayOf = (requirements: PaymentRequirements, origin: string) => AssetAmount | Refusal;

export interface ChooseOptions {
  readonly policy: SpendPolicy;
  readonly spending: Pick<Spending, 'whyNot'>;
  readonly algodOf: AlgodOf;
  /** Address of the payer, if it is known beforehand. */
  readonly payer: string | undefined;
  /** The reason why the payer itself can't pay an offer. */
  readonly whyNotPayer?: (requirements: PaymentRequirements) => Refusal | undefined;
  /** For offers that are paid through a channel. Undefined: there are no channels. */
  readonly channelOutlay: OutlayOf | undefined;
}

/** An offer that is not paid, and why. */
export interface RefusedOffer {
  readonly requirements: PaymentRequirements;
  readonly refusal: Refusal;
}

/** Every offer of a 402, judged by the spend policy and the budgets. */
export interface Quote {
  /** The offer that would be paid. */
  readonly chosen: ChosenOffer | undefined;
  /** The other offers that could be paid, the next best first. */
  readonly others: readonly ChosenOffer[];
  readonly refused: readonly RefusedOffer[];
}

/**
 * Chooses among the offers that the spend policy allows: the cheapest in dollars. After the price it prefers one
 * through a channel, then one whose amount is a maximum, then one that settles after the handler, then one whose
 * network fee is sponsored. The seller's order decides last.
 * @throws X402Error `spend_limit_exceeded` (because of an amount), `algod_not_configured`, `no_acceptable_offer`; the
 * message gives the reason for each offer
 */
export function chooseOffer(required: PaymentRequired, url: URL, options: ChooseOptions): ChosenOffer {
  const { chosen, refused } = judgeOffers(required, url, options);
  if (chosen) return chosen;
  throw noOffer(url, refused);
}

/** Judges every offer. Those that can be paid are in the order of {@link chooseOffer}. */
export function judgeOffers(required: PaymentRequired, url: URL, options: ChooseOptions): Quote {
  const acceptable: ChosenOffer[] = [];
  const refused: RefusedOffer[] = [];
  const atOrigin = options.policy.whyNotOrigin(url);
  for (const requirements of differingOffers(required.accepts)) {
    const judged = atOrigin ?? judge(requirements, url, options);
    if ('reason' in judged) refused.push({ requirements, refusal: judged });
    else acceptable.push(chosenOffer({ required, requirements, url, ...judged }));
  }
  const [chosen, ...others] = acceptable.sort(byPreference);
  return { chosen, others, refused };
}

/** Offers without their repetitions: sellers offer one network in two spellings, because clients know only one. */
export function differingOffers(offers: readonly PaymentRequirements[]): readonly PaymentRequirements[] {
  if (offers.length < 2) return offers;
  const inOneSpelling = ({ network, ...offer }: PaymentRequirements): string =>
    JSON.stringify({ ...offer, network: isAlgorandNetwork(network) ? canonicalNetwork(network) : network });
  const first = new Map<string, PaymentRequirements>();
  for (const offer of offers) {
    const key = inOneSpelling(offer);
    if (!first.has(key)) first.set(key, offer);
  }
  return [...first.values()];
}

function judge(requirements: PaymentRequirements, url: URL, options: ChooseOptions): Judged | Refusal {
  const { policy, spending, algodOf, payer, whyNotPayer } = options;
  const refusal = policy.whyNotOffer(requirements, payer) ?? whyNotPayer?.(requirements);
  if (refusal) return refusal;
  if (!algodOf(requirements.network)) {
    return { kind: 'node', reason: `no algod is configured for ${requirements.network}` };
  }
  const cost = policy.costOf(amountOf(requirements));
  if (!cost) return { kind: 'policy', reason: `asset ${requirements.asset} is not allowed` };
  const outlay = outlayOf(requirements, url, options);
  if ('reason' in outlay) return outlay;
  if (outlay.amount === 0n) return { cost };
  const deposit = requirements.scheme === BY_CHANNEL && { deposit: depositShown(outlay, policy) };
  return spending.whyNot(outlay, url.origin) ?? { cost, ...deposit };
}

/** A deposit as it is shown for confirmation. */
export function depositShown(asset: AssetAmount, policy: SpendPolicy): Deposit {
  const { network, asset: id, amount } = asset;
  const cost = policy.costOf(asset) ?? { unit: assetKey(network, id), amount };
  return { amount, cost, price: costAsText(cost) };
}

function outlayOf(
  requirements: PaymentRequirements,
  { origin }: URL,
  { channelOutlay }: ChooseOptions,
): AssetAmount | Refusal {
  if (requirements.scheme !== BY_CHANNEL) return amountOf(requirements);
  return channelOutlay?.(requirements, origin) ?? { kind: 'policy', reason: `the scheme ${BY_CHANNEL} is not paid` };
}

/** Whether an offer is paid through a channel. */
export function isByChannel({ requirements }: Pick<ChosenOffer, 'requirements'>): boolean {
  return requirements.scheme === BY_CHANNEL;
}

/** The amount that an offer asks for. */
function amountOf({ network, asset, amount }: PaymentRequirements): AssetAmount {
  return { network, asset, amount: BigInt(amount) };
}

function chosenOffer(offer: Omit<ChosenOffer, 'price' | 'sponsored'>): ChosenOffer {
  const sponsored = offer.requirements.extra['feePayer'] !== undefined;
  return { ...offer, price: costAsText(offer.cost), sponsored };
}

function byPreference(one: ChosenOffer, other: ChosenOffer): number {
  const inDollars = Number(other.cost.unit === USD) - Number(one.cost.unit === USD);
  if (inDollars !== 0) return inDollars;
  if (one.cost.unit === other.cost.unit && one.cost.amount !== other.cost.amount) {
    return one.cost.amount < other.cost.amount ? -1 : 1;
  }
  if (isByChannel(one) !== isByChannel(other)) return isByChannel(one) ? -1 : 1;
  const isUpto = ({ requirements }: ChosenOffer): boolean => requirements.scheme === UPTO;
  if (isUpto(one) !== isUpto(other)) return isUpto(one) ? -1 : 1;
  return Number(isUpfront(one)) - Number(isUpfront(other)) || Number(other.sponsored) - Number(one.sponsored);
}

function isUpfront({ requirements }: ChosenOffer): boolean {
  return requirements.extra['paymentFlow'] === 'upfront';
}

function noOffer(url: URL, refused: readonly RefusedOffer[]): X402Error {
  const reasons = refused.map(({ refusal }) => refusal.reason);
  const isOne = new Set(reasons).size === 1;
  const listed = reasons.map((reason, index) => `offer ${index + 1}: ${reason}`).join('; ');
  const message = reasons.length === 0 ? 'the offer is empty' : isOne ? (reasons[0] ?? '') : listed;
  return new X402Error(noOfferCode(refused), { message, details: { url: url.origin + url.pathname } });
}

/** The error code says what the buyer can change: a limit first, then the node. */
function noOfferCode(refused: readonly RefusedOffer[]): X402ErrorCode {
  const kinds = new Set(refused.map(({ refusal }) => refusal.kind));
  if (kinds.has('limit')) return 'spend_limit_exceeded';
  return kinds.has('node') ? 'algod_not_configured' : 'no_acceptable_offer';
}
