export {
  type ChannelConfig,
  encodeChannelConfig,
  parseChannelConfig,
  type WireChannelConfig,
} from './channel-config.ts';
export { admit, type ChannelCredit, charge, type CreditRefusal, openCredit } from './channel-credit.ts';
export {
  CHANNEL_MINIMUM_BALANCE,
  closingGroup,
  type GroupTerms,
  handingOverGroup,
  openingGroup,
  refundGroup,
  signByChannel,
} from './channel-groups.ts';
export { channelId, channelProgram } from './channel-program.ts';
export { type ChannelSpending, learnCharge, openSpending, signNext } from './channel-spending.ts';
export {
  encodeVoucher,
  isVoucherSigned,
  parseVoucher,
  signVoucher,
  type Voucher,
  type WireVoucher,
} from './voucher.ts';
