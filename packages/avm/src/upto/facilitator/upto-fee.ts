import { type NetworkFees, networkFee, SIGNATURE_BYTES } from '../../node/network-fees.ts';
import { type CheckedUpto, uptoSettlement } from './upto-verifier.ts';

const MEMBERS = 2n;
/** A sponsor that pays more for one payment is not asked for more groups than these. */
const MOST_MULTIPLES = 10n;

/**
 * µAlgo for each member of a settlement, in multiples of the least fee: first what the network asks for now, then the others
 * that the sponsor pays. The fee is part of a settlement's id: with few possible fees the one that it began with is found
 * again when the network asks for another.
 */
export function memberFees(upto: CheckedUpto, fees: NetworkFees, maxFee: bigint): [bigint, ...bigint[]] {
  const { minFee } = fees;
  const [feePayer, transfer] = uptoSettlement(upto, minFee).members;
  const required = networkFee([feePayer.bytes.length + SIGNATURE_BYTES, transfer.bytes.length], fees);
  const now = roundedUp(required, MEMBERS * minFee);
  const most = maxFee / (MEMBERS * minFee);
  const others: bigint[] = [];
  for (let multiple = 1n; multiple <= most && multiple <= MOST_MULTIPLES; multiple++) {
    if (multiple !== now) others.push(multiple * minFee);
  }
  return [now * minFee, ...others];
}

/** How many units hold an amount. */
function roundedUp(amount: bigint, unit: bigint): bigint {
  return (amount + unit - 1n) / unit;
}
