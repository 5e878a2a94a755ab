export { ChannelPayer, type ChannelPayerOptions, type DepositOptions } from './channel-payer.ts';
export type { CreatedDeposit } from './create-deposit.ts';
export type { NewChannel } from './new-channel.ts';
