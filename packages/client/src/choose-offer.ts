import { X402Error } from '@avm402/core/errors';
import { isAlgorandNetwork } from '@avm402/core/network';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { whyNotSpend, type SpendPolicy } from './spend-policy.ts';

/** What else can stand against an offer: a network without algod, a scheme that is not registered. */
export type WhyNotPayable = (offer: PaymentRequirements) => string | undefined;

/**
 * The first offer that can be paid and that the policy allows; one in the `authorization` flow is preferred, because
 * a failed handler then costs nothing.
 * Errors: `no_acceptable_offer`, with the reason for each entry.
 */
export function chooseOffer(
  { accepts }: PaymentRequired,
  policy: SpendPolicy,
  whyNotPayable: WhyNotPayable,
): PaymentRequirements {
  const judged = accepts.map((offer) => ({ offer, reason: whyNot(offer, policy, whyNotPayable) }));
  const allowed = judged.filter(({ reason }) => reason === undefined).map(({ offer }) => offer);
  const chosen = allowed.find(({ extra }) => extra['paymentFlow'] === undefined) ?? allowed[0];
  if (chosen) return chosen;
  const reasons = judged.map(({ reason }) => reason).join('; ');
  throw new X402Error('no_acceptable_offer', { message: reasons === '' ? 'nothing is offered' : reasons });
}

function whyNot(offer: PaymentRequirements, policy: SpendPolicy, whyNotPayable: WhyNotPayable): string | undefined {
  if (offer.scheme !== 'exact') return `the scheme ${offer.scheme} is not supported`;
  if (!isAlgorandNetwork(offer.network)) return `the network ${offer.network} is not an Algorand network`;
  return whyNotPayable(offer) ?? whyNotSpend(policy, offer);
}
