export { createPayingFetch, type PayingFetchOptions } from './paying-fetch.ts';
export { paymentOf, settlementOf, type PaymentRecord } from './payment-record.ts';
export type { AllowedAsset, SpendPolicy } from './spend-policy.ts';
export type { AlgodAccess, Networks } from './networks.ts';
