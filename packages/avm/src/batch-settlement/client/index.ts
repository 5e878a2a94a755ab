export { BatchSettlementAvmClient, type BatchSettlementAvmClientOptions } from './batch-settlement-avm-client.ts';
export { boundedDeposit, boundedTerms } from './channel-bounds.ts';
export { ChannelPayer, type ChannelPayerOptions, type DepositOptions } from './channel-payer.ts';
export type { CreatedDeposit } from './create-deposit.ts';
export type { NewChannel } from './new-channel.ts';
export { channelKey, type SignedRequest, SigningChannel } from './signing-channel.ts';
export { channelIn, chargeIn, toldState } from './told-state.ts';
