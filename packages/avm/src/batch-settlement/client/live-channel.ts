import { X402Error } from '@avm402/core/errors';
import type { ChannelConfig } from '../channel-config.ts';
import { advanceVoucher, type VoucherEvent } from './advance-voucher.ts';
import type { ChannelOnChain } from './channel-on-chain.ts';
import { type ChannelSpending, type OpenRequest, openSpending, signNext } from './channel-spending.ts';
import type { CreatedDeposit, DepositOptions } from './create-deposit.ts';
import { adoptReported, type ReportedState } from './reported-state.ts';

/** A signed deposit, and its amount in atomic units. */
export type SignedDeposit = Pick<CreatedDeposit, 'paymentGroup' | 'txId' | 'lastValid'> &
  Pick<DepositOptions, 'amount'>;

/** A deposit that was handed out and is not known to be confirmed. */
export interface PendingDeposit extends SignedDeposit {
  /** The request for which it was signed. */
  readonly request: OpenRequest;
  /** The id of the request that was sent with it and has no answer yet. Requests that need the deposit wait. */
  readonly waitsFor: bigint | undefined;
}

/** A channel of a stock client, kept as long as the client lives. */
export interface LiveChannel {
  readonly config: ChannelConfig;
  /** Its `deposit` is the confirmed part. */
  readonly spending: ChannelSpending;
  /** Number of deposits for which a signature was asked. */
  readonly deposits: number;
  /**
   * `signing`: a wallet is asked, and may take any time. Until a deposit is confirmed, or can't be any more, no other is
   * signed, because the seller may still submit the first.
   */
  readonly deposit: 'none' | 'signing' | PendingDeposit;
  /** The last round in which its confirmed deposits can have come. */
  readonly confirmedBy: bigint;
  /**
   * A deposit that the buyer's node has shown before any receipt. Its seller may not have counted it, so vouchers bring
   * it until one of them is charged.
   */
  readonly uncounted: SignedDeposit | undefined;
  /** Whether its seller has refused to be paid by it since the buyer's node was last asked about it. */
  readonly isRefused: boolean;
  /** Whether nothing more is paid with it, because it was closed or never opened. */
  readonly isOver: boolean;
}

/** A voucher of this amount is signed, and sent with the deposit if there is one. */
export interface PayTurn {
  readonly does: 'pay';
  readonly amount: bigint;
  readonly deposit?: SignedDeposit;
}

/** What is done for a request. */
type Turn =
  | PayTurn
  | ({ readonly does: 'deposit' } & Pick<DepositOptions, 'kind' | 'earlier'>)
  | { readonly does: 'wait' };

interface Step<Done extends Turn = Turn> {
  readonly channel: LiveChannel;
  readonly turn: Done;
}

/** The answer to a request. */
export interface Answer {
  readonly request: OpenRequest;
  readonly outcome: VoucherEvent;
  /** TxID of the deposit that was sent with it. */
  readonly txId: string | undefined;
  /** Whether it is a 402, and the state of the channel that this reports. */
  readonly isRefusal: boolean;
  readonly reported: ReportedState | undefined;
}

export function newLiveChannel(config: ChannelConfig): LiveChannel {
  return {
    config,
    spending: openSpending(0n),
    deposits: 0,
    deposit: 'none',
    confirmedBy: 0n,
    uncounted: undefined,
    isRefused: false,
    isOver: false,
  };
}

/** The deposit that was handed out and is not known to be confirmed. */
export function pendingDeposit({ deposit }: LiveChannel): PendingDeposit | undefined {
  return typeof deposit === 'object' ? deposit : undefined;
}

/**
 * A request that may cost `maximum` is to be paid. It pays by a voucher, or makes a deposit, or waits for that of
 * another request; `isLate`: it has waited as long as its offer allows, and sends that deposit as well.
 * @throws X402Error as `payWith`
 */
export function takeTurn(channel: LiveChannel, maximum: bigint, isLate: boolean): Step {
  const { deposit, deposits: earlier, spending, uncounted } = channel;
  const signed = signNext(spending, maximum);
  if (signed) {
    const turn = { does: 'pay', amount: signed.amount, ...(uncounted && { deposit: uncounted }) } as const;
    return { channel: { ...channel, spending: signed.next }, turn };
  }
  if (deposit === 'none') {
    const kind = spending.deposit === 0n ? 'open' : 'top-up';
    return {
      channel: { ...channel, deposit: 'signing', deposits: earlier + 1 },
      turn: { does: 'deposit', kind, earlier },
    };
  }
  if (deposit === 'signing' || (deposit.waitsFor !== undefined && !isLate)) return { channel, turn: { does: 'wait' } };
  const { request } = deposit;
  // The seller may have told of charges since then, which its voucher does not cover.
  const isOutdated = request.id < spending.charged + maximum;
  if (isOutdated || maximum !== request.maximum) return payWith(channel, deposit, maximum);
  const turn = { does: 'pay', amount: request.id, deposit } as const;
  return { channel: { ...channel, deposit: { ...deposit, waitsFor: request.id } }, turn };
}

/**
 * A request is sent with a deposit, and pays within it and the confirmed ones.
 * @throws X402Error `spend_limit_exceeded` if they do not cover its price
 */
export function payWith(channel: LiveChannel, sent: SignedDeposit | PendingDeposit, maximum: bigint): Step<PayTurn> {
  const signed = signNext(channel.spending, maximum, sent.amount);
  if (signed === undefined) {
    throw new X402Error('spend_limit_exceeded', { message: 'the deposit does not cover the price' });
  }
  const id = signed.amount;
  const deposit = { request: { id, maximum }, ...sent, waitsFor: id };
  return { channel: { ...channel, spending: signed.next, deposit }, turn: { does: 'pay', amount: id, deposit } };
}

/** A request could not make its deposit. */
export function depositFailed(channel: LiveChannel): LiveChannel {
  return { ...channel, deposit: 'none' };
}

/** Learns from an answer. `isCorrected`: it reports a state that is believed, so the request should be signed again. */
export function learnAnswer(
  channel: LiveChannel,
  answer: Answer,
): { readonly channel: LiveChannel; readonly isCorrected: boolean } {
  const { request, outcome, txId, isRefusal, reported } = answer;
  const pending = pendingDeposit(channel);
  const sent = pending?.txId === txId ? pending : undefined;
  if (outcome.event === 'charged') {
    return { channel: learnReceipt(sent ? confirm(channel, sent) : channel, answer), isCorrected: false };
  }
  const answered = sent ? { ...channel, deposit: { ...sent, waitsFor: undefined } } : channel;
  // A request sent with a deposit that may still be settled may still be charged. What is in doubt after a request has
  // its answer is the cost of others: a second answer, to a copy of it, says nothing about that.
  const isAwaited = channel.spending.underWay.some(({ id }) => id === request.id);
  const { spending } = sent?.request.id === request.id || !isAwaited ? answered : advance(answered, request, outcome);
  const adopted = reported && adoptReported(spending, channel.config, reported);
  return {
    channel: { ...answered, spending: adopted ?? spending, isRefused: isRefusal },
    isCorrected: adopted !== undefined,
  };
}

/** Learns a charge. Its seller knows the deposit that was sent with the request. */
function learnReceipt(channel: LiveChannel, { request, outcome, txId }: Answer): LiveChannel {
  const charged = advance(channel, request, outcome);
  const uncounted = channel.uncounted?.txId === txId ? undefined : channel.uncounted;
  // A stream may cost the rest.
  return { ...advance(charged, request, { event: 'unknown' }), uncounted };
}

/** Learns what the buyer's own node shows; its seller's word alone makes no other deposit. */
export function learnOnChain(channel: LiveChannel, shown: ChannelOnChain): LiveChannel {
  const { balance, since } = shown;
  const pending = pendingDeposit(channel);
  const { deposit } = channel.spending;
  if (pending && balance >= deposit + pending.amount) return { ...confirm(channel, pending), uncounted: pending };
  // A deposit that a wallet is about to sign may come as well.
  if (channel.deposit === 'signing' || (pending && since <= pending.lastValid)) return channel;
  const known: LiveChannel = pending
    ? { ...advance(channel, pending.request, { event: 'refused' }), deposit: 'none' }
    : channel;
  return { ...known, isRefused: false, isOver: channel.isOver || deposit === 0n || isGone(channel, shown) };
}

/** Whether a channel was closed, or lacks a deposit that can't come any more. */
function isGone(
  { spending: { deposit }, confirmedBy }: LiveChannel,
  { state, balance, since, round }: ChannelOnChain,
): boolean {
  // A node that is behind may not have seen the deposit yet.
  if (state !== 'open') return round > confirmedBy;
  // A claim takes everything: an open channel that holds nothing is shown where one of several nodes is behind.
  return balance > 0n && balance < deposit && since >= confirmedBy;
}

function confirm(channel: LiveChannel, { amount, lastValid, request, waitsFor }: PendingDeposit): LiveChannel {
  const spending = { ...channel.spending, deposit: channel.spending.deposit + amount };
  const confirmed: LiveChannel = { ...channel, spending, deposit: 'none', confirmedBy: lastValid };
  // The request for which it was signed may have been served, whatever the answer was.
  return waitsFor === request.id ? confirmed : advance(confirmed, request, { event: 'unknown' });
}

function advance(channel: LiveChannel, request: OpenRequest, happened: VoucherEvent): LiveChannel {
  return { ...channel, spending: advanceVoucher(channel.spending, request, happened).spending };
}
