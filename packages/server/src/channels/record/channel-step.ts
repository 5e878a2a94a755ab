import type { X402ErrorCode } from '@avm402/core/errors';
import type { Channel, ChannelRequest, ClosingReason } from './channel.ts';
import type { ChannelChange } from './channel-store.ts';

/** A request's charge: `cost` is what it adds to what `request` was charged before. Atomic units. */
export interface ChargeStep {
  readonly kind: 'charge';
  readonly request: ChannelRequest;
  readonly cost: bigint;
  readonly at: number;
}

/** Something that happens to a channel and must be recorded. */
export type ChannelStep =
  | ChargeStep
  /** Takes back a charge whose answer never left; `request` is the request as it was before. */
  | { readonly kind: 'undo'; readonly request: ChannelRequest; readonly cost: bigint }
  | { readonly kind: 'deposit'; readonly txId: string; readonly amount: bigint }
  | { readonly kind: 'closing'; readonly reason: ClosingReason; readonly since: number }
  /** `transaction` is empty if nobody knows which one closed the channel. */
  | { readonly kind: 'closed'; readonly transaction: string }
  | { readonly kind: 'lost' };

/** A voucher whose signature was checked. */
export interface HighestVoucher {
  readonly amount: bigint;
  readonly signature: Uint8Array;
}

/** A change that grows step by step. Its `next` is based on the row that it is made from. */
export type Draft = Omit<ChannelChange, 'previous'>;

/**
 * The draft with one more step; or an error code, if the step no longer fits the row, which another server may have
 * changed. A pure function.
 */
export function applyStep(draft: Draft, step: ChannelStep, highest?: HighestVoucher): Draft | X402ErrorCode {
  const { next } = draft;
  if (step.kind === 'charge') return applyCharge(draft, step, highest);
  if (step.kind === 'undo') {
    // What the channel owes is fixed, and may already be claimed.
    if (next.state !== 'open') return draft;
    const requests = [...(draft.requests ?? []), step.request];
    return { ...draft, next: { ...next, charged: next.charged - step.cost }, requests };
  }
  if (step.kind === 'deposit') {
    if (next.state !== 'open') return 'invalid_batch_settlement_avm_channel_closed';
    const { deposits = [] } = draft;
    // One deposit may have come with several requests, which have it counted at the same time.
    if (deposits.includes(step.txId)) return draft;
    return { ...draft, next: { ...next, balance: next.balance + step.amount }, deposits: [...deposits, step.txId] };
  }
  return { ...draft, next: inState(next, step) };
}

type StateStep = Extract<ChannelStep, { kind: 'closing' | 'closed' | 'lost' }>;

function inState(channel: Channel, step: StateStep): Channel {
  if (step.kind === 'closed') {
    return { ...channel, state: 'closed', ...(step.transaction !== '' && { closedBy: step.transaction }) };
  }
  if (step.kind === 'lost') return { ...channel, state: 'lost' };
  if (channel.state !== 'open') return channel;
  return { ...channel, state: 'closing', closing: { reason: step.reason, since: step.since } };
}

function applyCharge(draft: Draft, { request, cost, at }: ChargeStep, highest?: HighestVoucher): Draft | X402ErrorCode {
  const next = authorizedBy(draft.next, highest);
  if (next.state !== 'open') return 'invalid_batch_settlement_avm_channel_closed';
  const charged = next.charged + cost;
  // Below the floor, its row would be forgotten at once, and nobody could tell whether it was charged.
  if (request.amount < next.floor || charged > next.authorized)
    return 'invalid_batch_settlement_avm_cumulative_amount_mismatch';
  // A stream's later parts replace its earlier ones.
  const others = (draft.requests ?? []).filter(({ amount }) => amount !== request.amount);
  return { ...draft, next: { ...next, charged, usedAt: at }, requests: [...others, request] };
}

function authorizedBy(channel: Channel, highest?: HighestVoucher): Channel {
  if (highest === undefined || highest.amount <= channel.authorized) return channel;
  return { ...channel, authorized: highest.amount, signature: highest.signature };
}

/** What a step adds to the charged amount. */
export function costOf(step: ChannelStep): bigint {
  if (step.kind === 'charge') return step.cost;
  return step.kind === 'undo' ? -step.cost : 0n;
}
