export {
  type ChannelOptions,
  createPayer,
  createPayingFetch,
  type Payer,
  type PayingFetchOptions,
} from './payment/payer.ts';
export type { ChannelDeposit, ChannelRecord, OpenedFor } from './channels/channel-record.ts';
export type { ChannelView, PayerChannels, Recovery } from './channels/payer-channels.ts';
export type { ChannelStore } from './channels/channel-store.ts';
export { reportOf, settlementOf, type PaymentReport } from './payment/settlement.ts';
export type { ChosenOffer, Deposit, Quote, RefusedOffer } from './offers/choose-offer.ts';
export { USDC_ASSETS } from '@avm402/avm/exact/client';
export type { Cost } from './budget/cost.ts';
export type { NetworkAccess } from './own-node/network-access.ts';
export type { JournalEntry, PaymentJournal } from './journal/payment-journal.ts';
export type { StockClient } from './payment/payment-maker.ts';
export type { PaymentOutcome } from './own-node/payment-outcome.ts';
export type { SentPayment } from './journal/sent-payment.ts';
export type { AllowedAsset, AtomicLimits, Refusal, SpendOptions } from './budget/spend-policy.ts';
export { createMultisigWallet, type MultisigWalletOptions, type TransactionWallet } from '@avm402/avm/exact/client';
export { parseAccount, type Account } from '@avm402/algorand/account';
export { isX402Error, X402Error, type X402ErrorCode } from '@avm402/core/errors';
