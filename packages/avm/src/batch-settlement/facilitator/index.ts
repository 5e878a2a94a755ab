export {
  BatchSettlementAvmFacilitator,
  type BatchSettlementAvmFacilitatorOptions,
} from './batch-settlement-avm-facilitator.ts';
export { type ChannelEnd, checkClaimAuthorization, claimEnd, hasEnded, refundEnd } from './channel-ending.ts';
export type { ChannelNetwork, ChannelPolicy, KnownChannel } from './channel-network.ts';
export { ASSET_ACCOUNT_MINIMUM as CHANNEL_MINIMUM_BALANCE } from '../../signing/pooled-group.ts';
export type { AboutChannel, ChannelRequest, ClaimRequest, DepositRequest } from './channel-request.ts';
export { verifyDeposit } from './deposit-verdict.ts';
