import { isAddress } from '@avm402/algorand/address';
import type { Refusal } from '@avm402/client';
import {
  amountInWords,
  type AlgodOf,
  BY_CHANNEL,
  BY_KEY,
  differingOffers,
  judgeOffers,
  SpendPolicy,
  whyNotFeePayer,
} from '@avm402/client/diagnosis';
import { canonicalNetwork, isAlgorandNetwork } from '@avm402/core/network';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { excerpt } from '../words/printable.ts';
import { ok, problem, warning, type Finding } from './finding.ts';

/** The findings about the offers of a 402. */
export interface ExaminedOffers {
  /** The one that would be paid; undefined if none can be. */
  readonly payable: PaymentRequirements | undefined;
  readonly findings: readonly Finding[];
}

/** Examines each offer: whether `pay` can pay it, and whether it does so within its default limits. */
export function examineOffers({ accepts, ...required }: PaymentRequired, url: URL, algodOf: AlgodOf): ExaminedOffers {
  if (accepts.length === 0) {
    return {
      payable: undefined,
      findings: [problem('offers', 'the offer is empty', 'Offer at least one way to pay.')],
    };
  }
  const judged = differingOffers(accepts).map((offer, index) => ({
    offer,
    finding: examineEntry(offer, `offer ${index + 1}`),
  }));
  const sound = judged.filter(({ finding }) => finding.status === 'ok').map(({ offer }) => offer);
  const [first] = sound;
  const findings = judged.map(({ finding }) => (first === undefined ? finding : asWarning(finding)));
  if (first === undefined) return { payable: undefined, findings };
  const { chosen } = judgeOffers({ ...required, accepts: sound }, url, {
    policy: DEFAULT_LIMITS,
    spending: NOTHING_SPENT,
    algodOf,
    payer: undefined,
    channelOutlay: undefined,
  });
  if (sound.every(({ scheme }) => scheme === BY_CHANNEL)) findings.push(CHANNELS_ONLY);
  return { payable: chosen?.requirements ?? first, findings: [...findings, examineLimits(sound)] };
}

const SCHEMES = ['exact', ...BY_KEY.keys(), BY_CHANNEL];
const DEFAULT_LIMITS = new SpendPolicy({ allowHttp: true }, SCHEMES);
const NOTHING_SPENT = { whyNot: () => undefined };
const CHANNELS_ONLY = warning(
  'offers',
  'can only be paid through a channel',
  'Pay with --channel, or also offer the scheme exact: not every client has channels.',
);

/** Turns a problem into a warning, because it keeps nobody from paying another offer. */
function asWarning(finding: Finding): Finding {
  return finding.status === 'problem' ? { ...finding, status: 'warning' } : finding;
}

function examineLimits(offers: readonly PaymentRequirements[]): Finding {
  const refusals = offers.map((offer) => DEFAULT_LIMITS.whyNotOffer(offer, undefined));
  if (refusals.includes(undefined)) return ok('limits', 'within the default limits');
  const reasons = refusals.map((refusal) => refusal?.reason).join('; ');
  const fix = 'Ask for less or for USDC, or tell clients which limits to set.';
  return warning('limits', `clients with default limits refuse: ${excerpt(reasons)}`, fix);
}

function examineEntry(offer: PaymentRequirements, check: string): Finding {
  const { scheme, network, asset, amount, payTo } = offer;
  if (!SCHEMES.includes(scheme))
    return problem(check, `the scheme ${excerpt(scheme)} is not paid here`, 'Offer the scheme exact.');
  if (!isAlgorandNetwork(network)) {
    const message = `${excerpt(network)} is not Algorand; other clients may pay it`;
    return problem(check, message, 'Also offer an Algorand network.');
  }
  if (!/^[1-9]\d{0,19}$/.test(asset)) {
    const fix = 'Name the asset by its number, for example 31566704 for USDC on MainNet.';
    return problem(check, `${excerpt(asset)} is not an asset id`, fix);
  }
  if (!isAddress(payTo))
    return problem(check, `${excerpt(payTo)} is not an Algorand address`, 'Correct payTo: 58 characters.');
  if (!/^[1-9]\d{0,18}$/.test(amount)) {
    const message = `${excerpt(amount)} is not an amount of atomic units above zero`;
    return problem(check, message, 'Write $0.01 as 10000 (6 decimals).');
  }
  const refusal = whyNotFeePayer(offer, undefined);
  if (refusal) return problem(check, refusal.reason, "Offer the facilitator's own account as fee payer.");
  const never = whyNever(offer);
  if (never)
    return problem(check, excerpt(never.reason), 'Correct the offer: clients refuse it whatever limits they set.');
  const way = scheme === BY_CHANNEL ? ', through a channel' : '';
  const price = amountInWords({ network, asset, amount: BigInt(amount) });
  return ok(check, `${price} (asset ${asset}) on ${canonicalNetwork(network)}${way}`);
}

/** The reason why an offer is not paid, whatever the limits are. */
function whyNever(offer: PaymentRequirements): Refusal | undefined {
  const { network, asset, amount } = offer;
  const limits = { perPayment: BigInt(amount) };
  return new SpendPolicy({ allowHttp: true, assets: [{ network, asset, limits }] }, SCHEMES).whyNotOffer(
    offer,
    undefined,
  );
}
