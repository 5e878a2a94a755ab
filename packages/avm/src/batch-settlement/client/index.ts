export type { VoucherEvent } from './advance-voucher.ts';
export { BatchSettlementAvmClient, type BatchSettlementAvmClientOptions } from './batch-settlement-avm-client.ts';
export { boundedDeposit, boundedTerms } from './channel-bounds.ts';
export { ChannelPayer, type ChannelPayerOptions } from './channel-payer.ts';
export type { CreatedDeposit, DepositOptions } from './create-deposit.ts';
export type { NewChannel } from './new-channel.ts';
export { resumeSpending } from './channel-spending.ts';
export { channelKey, type SignedRequest, SigningChannel } from './signing-channel.ts';
export { channelIn, chargeIn, reportedState } from './reported-state.ts';
