/** A request that was signed and whose charge is not known yet. */
interface SignedRequest {
  /** The voucher's amount. */
  readonly id: bigint;
  /** Most that it may cost, atomic units. */
  readonly maximum: bigint;
}

/**
 * What a buyer knows of its channel's money, atomic units. It never signs more than it asked for, but for one unit for each
 * request that ended uncharged: each voucher's amount is new, which makes it the id of one request.
 */
export interface ChannelSpending {
  /** What it deposited. */
  readonly deposit: bigint;
  /** What receipts say was charged, all requests together. */
  readonly charged: bigint;
  /** The last amount that it signed. */
  readonly signed: bigint;
  readonly underWay: readonly SignedRequest[];
}

export function openSpending(deposit: bigint): ChannelSpending {
  return { deposit, charged: 0n, signed: 0n, underWay: [] };
}

/** The amount to sign for a request that may cost `maximum`, and the state with it signed; undefined: top up first. */
export function signNext(
  spending: ChannelSpending,
  maximum: bigint,
): { readonly amount: bigint; readonly next: ChannelSpending } | undefined {
  const reserved = spending.underWay.reduce((sum, request) => sum + request.maximum, 0n);
  const needed = spending.charged + reserved + maximum;
  const amount = needed > spending.signed ? needed : spending.signed + 1n;
  if (amount > spending.deposit) return undefined;
  return { amount, next: { ...spending, signed: amount, underWay: [...spending.underWay, { id: amount, maximum }] } };
}

/**
 * Ends a request with what its receipt says it cost. A charge above the request's maximum is a lie: it is not believed, and
 * undefined is returned.
 */
export function learnCharge(spending: ChannelSpending, id: bigint, cost: bigint): ChannelSpending | undefined {
  const request = spending.underWay.find((candidate) => candidate.id === id);
  if (request === undefined || cost < 0n || cost > request.maximum) return undefined;
  const underWay = spending.underWay.filter((candidate) => candidate !== request);
  return { ...spending, charged: spending.charged + cost, underWay };
}
