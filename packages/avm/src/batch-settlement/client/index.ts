export { BatchSettlementAvmClient, type BatchSettlementAvmClientOptions } from './batch-settlement-avm-client.ts';
export { boundedDeposit, boundedTerms } from './channel-bounds.ts';
export { ChannelPayer, type ChannelPayerOptions, type DepositOptions } from './channel-payer.ts';
export type { CreatedDeposit } from './create-deposit.ts';
export type { NewChannel } from './new-channel.ts';
export { adoptTold, channelIn, chargeIn, toldState, type ToldState } from './told-state.ts';
