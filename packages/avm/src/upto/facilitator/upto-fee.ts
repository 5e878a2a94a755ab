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

/**
 * µAlgo for each member of a settlement, in multiples of the least fee: first the fee that the network asks for now,
 * then the others that the sponsor would pay. The fee is part of a settlement's id. Because few fees are possible, the
 * settlement that was begun is found again when the network asks for another fee.
 */
export function memberFees(upto: CheckedUpto, fees: NetworkFees, mostFee: bigint): [bigint, ...bigint[]] {
  const { minFee } = fees;
  const [feePayer, transfer] = uptoSettlement(upto, minFee).members;
  const required = networkFee([feePayer.bytes.length + SIGNATURE_BYTES, transfer.bytes.length], fees);
  const now = roundedUp(required, MEMBERS * minFee);
  const most = mostFee / (MEMBERS * minFee);
  const others: bigint[] = [];
  for (let multiple = 1n; multiple <= most; multiple++) {
    if (multiple !== now) others.push(multiple * minFee);
  }
  return [now * minFee, ...others];
}

/** The number of units that cover an amount. */
function roundedUp(amount: bigint, unit: bigint): bigint {
  return (amount + unit - 1n) / unit;
}
