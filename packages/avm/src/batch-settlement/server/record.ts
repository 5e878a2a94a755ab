/** A seller's record of its channels: the requests that it admits, what they cost, and its claims. */
export {
  admit,
  type ChannelCredit,
  charge,
  chargePart,
  type CreditRefusal,
  hasReceived,
  openCredit,
  REMEMBERED_AMOUNTS,
  remembering,
  withdraw,
} from './channel-credit.ts';
export { checkChannelConfig, checkClose, checkVoucher } from '../checks/channel.ts';
export { type CheckedDeposit, checkDeposit } from '../checks/deposit.ts';
export { type ClaimKey, claimKeyOf } from './claim-key.ts';
