export { checkPaymentOffline, checkPaymentTerms, type OfflinePayment } from '../check-payment-offline.ts';
export { checkSignature } from '../checks/authorization.ts';
export { ExactAvmServer } from './exact-avm-server.ts';
export { parsePayTo, type PriceQuestion, type PricingOptions as ExactAvmServerOptions } from './pricing-scheme.ts';
export type { PricedAsset } from './priced-asset.ts';
