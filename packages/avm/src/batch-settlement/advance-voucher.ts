import { type ChannelSpending, endInDoubt, learnCharge, learnLate, learnPart } from './channel-spending.ts';

/** What became of a request that a voucher was signed for. */
export type VoucherEvent =
  /** A receipt came: it cost so much, atomic units, or its maximum if that is not said. `goesOn`: a stream may cost more. */
  | { readonly event: 'charged'; readonly cost?: bigint | undefined; readonly goesOn: boolean }
  /** The seller refused it: it cost nothing. */
  | { readonly event: 'refused' }
  /** Nobody said what it cost, or all of it. */
  | { readonly event: 'unknown' };

export interface VoucherAdvance {
  readonly spending: ChannelSpending;
  /** False: the receipt says more than the request may cost. Its maximum is counted. */
  readonly isBelieved: boolean;
}

/** What a buyer knows of its channel's money after an event of one request. A request that ended in doubt may end anew. */
export function advanceVoucher(
  spending: ChannelSpending,
  request: { readonly id: bigint; readonly maximum: bigint },
  happened: VoucherEvent,
): VoucherAdvance {
  if (happened.event === 'unknown') return { spending: endInDoubt(spending, request.id), isBelieved: true };
  const cost = happened.event === 'refused' ? 0n : (happened.cost ?? request.maximum);
  const goesOn = happened.event === 'charged' && happened.goesOn;
  const learn = (amount: bigint, isPart: boolean): ChannelSpending | undefined => {
    if (!spending.underWay.some(({ id }) => id === request.id)) {
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
