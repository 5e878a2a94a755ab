/** Reads and checks payments of a fixed price. The class of each role is in the role's entry. */
export { shownTransaction } from '@avm402/algorand/shown-transaction';
export { checkPaymentOffline, checkPaymentTerms, type OfflinePayment } from './check-payment-offline.ts';
export { checkSignature } from './checks/authorizer.ts';
export { withNamedFeePayer } from './named-fee-payer.ts';
