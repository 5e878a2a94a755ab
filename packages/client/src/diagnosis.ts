export { amountAsText, amountInWords, type AssetAmount, costAsText, costInWords, usdcDecimals } from './budget/cost.ts';
export { BY_CHANNEL, SpendPolicy, UPTO, whyNotFeePayer } from './budget/spend-policy.ts';
export { differingOffers, judgeOffers } from './offers/choose-offer.ts';
export { parseOffer } from './offers/parse-offer.ts';
export { isSameParty } from './offers/payable-url.ts';
export { type AlgodOf, algodOfNetworks } from './own-node/network-access.ts';
export { blockTime } from './own-node/payment-outcome.ts';
export { BY_KEY } from './payment/payment-maker.ts';
