export type { VoucherEvent } from './advance-voucher.ts';
export { type ChannelConfig, encodeChannelConfig, parseChannelConfig } from './channel-config.ts';
export { checkChannelConfig, checkClose, checkVoucher } from './checks/channel.ts';
export { type CheckedDeposit, checkDeposit } from './checks/deposit.ts';
export { type ChannelTerms, encodeChannelTerms, parseChannelTerms } from './channel-terms.ts';
export { claimAuthorizerOf, isClaimSigned, signClaim } from './claim-authorization.ts';
export { signClose } from './close-authorization.ts';
export {
  type ChannelPayload,
  type ClaimPayload,
  type DepositPayload,
  encodeChannelPayload,
  type ParsedDeposit,
  parseChannelPayload,
  type RefundPayload,
  type VoucherPayload,
} from './payload.ts';
export {
  admit,
  type ChannelCredit,
  charge,
  chargePart,
  type CreditRefusal,
  hasCome,
  openCredit,
  REMEMBERED_AMOUNTS,
  remembering,
  withdraw,
} from './channel-credit.ts';
export {
  CHANNEL_MINIMUM_BALANCE,
  closingGroup,
  type GroupTerms,
  handingOverGroup,
  openingGroup,
  refundGroup,
  signByChannel,
  toppingUpGroup,
} from './channel-groups.ts';
export { channelId, channelProgram, parseChannelProgram } from './channel-config.ts';
export { resumeSpending } from './channel-spending.ts';
export { signVoucher, type Voucher } from './voucher.ts';
