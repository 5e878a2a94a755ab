import { type NetworkFees, networkFee, SIGNATURE_BYTES } from '../../node/network-fees.ts';
import type { Sponsor } from '../../sponsorship/sponsor.ts';
import { type CheckedUpto, uptoSettlement } from './upto-charge.ts';

const MEMBERS = 2n;
/** The most µAlgo for a charge, however much the sponsor allows for a payment: it limits the groups to try. */
const MOST_FEE = 20_000n;

/** The most µAlgo that a sponsor pays for a charge. A charge that began at a higher fee would not be found again. */
export function mostFeeOf({ maxFee }: Pick<Sponsor, 'maxFee'>): bigint {
  return maxFee < MOST_FEE ? maxFee : MOST_FEE;
}

/** µAlgo that the network asks for now for each member of a settlement, in multiples of the least fee. */
export function memberFeeNow(upto: CheckedUpto, fees: NetworkFees): bigint {
  const { minFee } = fees;
  const [feePayer, transfer] = uptoSettlement(upto, minFee).members;
  const required = networkFee([feePayer.bytes.length + SIGNATURE_BYTES, transfer.bytes.length], fees);
  return roundedUp(required, MEMBERS * minFee) * minFee;
}

/**
 * µAlgo for each member, first of the settlement to begin: the fee of now, or the most that the sponsor pays, because a
 * handler has worked for the charge, and a node that asks for more now may take it later. Then all others at which the
 * charge may have begun, whatever the sponsor paid then. The fee is part of a settlement's id. Because few fees are
 * possible, the settlement that was begun is found again when the network asks for another fee.
 */
export function memberFees(upto: CheckedUpto, fees: NetworkFees, mostFee: bigint): [bigint, ...bigint[]] {
  const { minFee } = fees;
  const unit = MEMBERS * minFee;
  const [now, most] = [memberFeeNow(upto, fees), (mostFee / unit) * minFee];
  const first = most > 0n && now > most ? most : now;
  const others: bigint[] = [];
  for (let fee = minFee; fee * MEMBERS <= MOST_FEE; fee += minFee) {
    if (fee !== first) others.push(fee);
  }
  return [first, ...others];
}

/** The number of units that cover an amount. */
function roundedUp(amount: bigint, unit: bigint): bigint {
  return (amount + unit - 1n) / unit;
}
