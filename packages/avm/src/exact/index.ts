/** Payments of a fixed price, as they are read and checked. What offers them is in the entry of each role. */
export { shownTransaction } from '@avm402/algorand/shown-transaction';
export { checkPaymentOffline, checkPaymentTerms, type OfflinePayment } from './check-payment-offline.ts';
export { checkSignature } from './checks/authorizer.ts';
export { withNamedFeePayer } from './named-fee-payer.ts';
