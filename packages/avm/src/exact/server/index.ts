export { shownTransaction } from '@avm402/algorand/shown-transaction';
export { checkPaymentOffline, checkPaymentTerms, type OfflinePayment } from '../check-payment-offline.ts';
export { checkSignature } from '../checks/authorization.ts';
export { withNamedFeePayer } from '../named-fee-payer.ts';
export { networkName } from '../network-name.ts';
export { usdcOn, type UsdcAsset } from '../usdc.ts';
export { ExactAvmServer } from './exact-avm-server.ts';
export type { PricedAsset } from './priced-asset.ts';
export { parsePayTo, type PriceQuestion, type PricingOptions as ExactAvmServerOptions } from './pricing-scheme.ts';
