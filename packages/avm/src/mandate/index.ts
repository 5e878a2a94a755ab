/**
 * Mandates: an agent's budget that the chain enforces. A mandate is the contract account of a program, funded by its
 * owner. Its agent, a key that holds nothing, pays sellers from it; the program says how much, how often, to whom and
 * until when. The owner ends it with one signature (docs/specs/mandate_avm.md).
 */
export {
  encodeMandateConfig,
  mandateAddress,
  type MandateConfig,
  mandateProgram,
  MAX_SLOTS,
  parseMandateConfig,
  parseMandateProgram,
  type WireMandateConfig,
} from './mandate-config.ts';
export {
  addToMandateGroup,
  type AgentKey,
  endMandateGroup,
  type MandateFunds,
  openMandateGroup,
  signByMandate,
  signMandatePayment,
} from './mandate-groups.ts';
export { MandateSlots } from './mandate-slots.ts';
export type { GroupTerms } from '../signing/pooled-group.ts';
export { mandateWallet, type MandateWalletOptions } from './mandate-wallet.ts';
export { lastPayingRound, paymentEnd, slotLease, slotOfLease, WINDOW_ROUNDS, windowEnd } from './mandate-window.ts';
export { ANY_RECEIVER, MAX_RECEIVERS, type ReceiverTree, receiverTree } from './receiver-tree.ts';
