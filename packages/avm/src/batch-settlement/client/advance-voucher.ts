import { type ChannelSpending, endInDoubt, learnCharge, learnLate, learnPart } from './channel-spending.ts';

/** The outcome of a request for which a voucher was signed. */
export type VoucherEvent =
  /**
   * A receipt came: the request cost `cost` (atomic units), or its maximum if the receipt gives no cost. `goesOn`: a
   * stream may cost more.
   */
  | { readonly event: 'charged'; readonly cost?: bigint | undefined; readonly goesOn: boolean }
  /** The seller refused the request, so it cost nothing, unless it is in doubt: then it stays so. */
  | { readonly event: 'refused' }
  /** The cost is not known, or not all of it. */
  | { readonly event: 'unknown' };

export interface VoucherAdvance {
  readonly spending: ChannelSpending;
  /** False if the receipt claims more than the request may cost; the maximum is counted then. */
  readonly isBelieved: boolean;
}

/**
 * Advances a buyer's knowledge of its channel's money by one event of one request. A request that ended in doubt may
 * end again.
 */
export function advanceVoucher(
  spending: ChannelSpending,
  request: { readonly id: bigint; readonly maximum: bigint },
  happened: VoucherEvent,
): VoucherAdvance {
  if (happened.event === 'unknown') return { spending: endInDoubt(spending, request.id), isBelieved: true };
  const isUnderWay = spending.underWay.some(({ id }) => id === request.id);
  // An earlier copy of it may have been charged.
  if (happened.event === 'refused' && !isUnderWay) return { spending, isBelieved: true };
  const cost = happened.event === 'refused' ? 0n : (happened.cost ?? request.maximum);
  const goesOn = happened.event === 'charged' && happened.goesOn;
  const learn = (amount: bigint, isPart: boolean): ChannelSpending | undefined => {
    if (!isUnderWay) {
      // The rest of a stream stays in doubt.
      const { maximum } = request;
      return amount > maximum ? undefined : learnLate(spending, { maximum: isPart ? amount : maximum }, amount);
    }
    return isPart ? learnPart(spending, request.id, amount) : learnCharge(spending, request.id, amount);
  };
  const learned = learn(cost, goesOn);
  if (learned) return { spending: learned, isBelieved: true };
  return { spending: learn(request.maximum, false) ?? spending, isBelieved: false };
}
