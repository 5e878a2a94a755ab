/** Channels on the wire and on the chain. The part of each role is in the role's entry. */
export {
  type ChannelConfig,
  channelId,
  channelProgram,
  encodeChannelConfig,
  parseChannelConfig,
  parseChannelProgram,
} from './channel-config.ts';
export {
  closingGroup,
  handingOverGroup,
  openingGroup,
  refundGroup,
  signByChannel,
  toppingUpGroup,
} from './channel-groups.ts';
export type { GroupTerms } from '../signing/pooled-group.ts';
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
export { signVoucher, type Voucher } from './voucher.ts';
