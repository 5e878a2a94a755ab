import { explain, type Explanation } from '../words/explain.ts';

const NEEDS_MONEY = "Tell the person: the paying account needs money or a set-up that you can't give it.";
const NEEDS_SETTING = "Tell the person: this server is not set up for that. You can't change it.";
const WRONG_PRICE = 'Write maxPrice as dollars, such as $0.05.';

/** What an agent can do about an error, where that differs from what a person can. */
const REMEDIES: Readonly<Record<string, string>> = {
  spend_limit_exceeded:
    'Only the person who runs this server can raise a limit: tell them the price and what it is for.',
  no_acceptable_offer: 'Tell the person the reasons. Do not look for another way to pay it.',
  offer_declined: 'The person said no, or could not be asked. Do without it, or let them decide.',
  nothing_to_pay: 'It is free: call pay, which pays nothing then, or request it yourself.',
  account_not_opted_in: NEEDS_MONEY,
  account_short_of_asset: NEEDS_MONEY,
  account_unfunded: NEEDS_MONEY,
  mandate_exhausted: 'The chain allows nothing earlier: wait until the time in the message, or do without it.',
  mandate_refuses: 'The chain would refuse it. Tell the person; only the owner can make another mandate.',
  payment_outcome_unknown:
    'Call pay again with the same arguments later: it sends the same payment, never a second one.',
  payment_settled_without_response: 'Call pay again with the same arguments: it presents the same payment.',
  algod_not_configured: NEEDS_SETTING,
  network_mismatch: NEEDS_SETTING,
  algod_unreachable: NEEDS_SETTING,
  environment_invalid: NEEDS_SETTING,
  invalid_price: WRONG_PRICE,
  price_not_positive: WRONG_PRICE,
  price_too_precise: WRONG_PRICE,
  invalid_arguments: 'Correct the arguments, and call again.',
};

export function explainToAgent(error: unknown): Explanation {
  const explanation = explain(error);
  const remedy = Object.hasOwn(REMEDIES, explanation.code) ? REMEDIES[explanation.code] : undefined;
  return remedy === undefined ? explanation : { ...explanation, remedy };
}
