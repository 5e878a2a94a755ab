export { checkPaymentOffline, checkPaymentTerms, type OfflinePayment } from '../check-payment-offline.ts';
export { checkSignature } from '../checks/authorization.ts';
export { ExactAvmServer, parsePayTo, type ExactAvmServerOptions, type PriceQuestion } from './exact-avm-server.ts';
export type { PricedAsset } from './priced-asset.ts';
