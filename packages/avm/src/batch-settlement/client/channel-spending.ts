/** A signed request whose charge is not known yet. */
export interface OpenRequest {
  /** The voucher's amount. */
  readonly id: bigint;
  /** Most that it may cost, atomic units. */
  readonly maximum: bigint;
}

/**
 * A buyer's knowledge of its channel's money, atomic units. The buyer never signs more than it asked for, except one
 * unit for each request that ended uncharged: every voucher has a new amount, so that the amount is the id of one
 * request.
 */
export interface ChannelSpending {
  /** The amount deposited. */
  readonly deposit: bigint;
  /** The total charge of all requests, according to receipts. */
  readonly charged: bigint;
  /** The last signed amount. */
  readonly signed: bigint;
  readonly underWay: readonly OpenRequest[];
  /** The most that requests which ended without a full receipt may have cost beyond the known charges. */
  readonly doubtful: bigint;
}

export function openSpending(deposit: bigint): ChannelSpending {
  return { deposit, charged: 0n, signed: 0n, underWay: [], doubtful: 0n };
}

/** A buyer's record of a channel. */
export interface SpendingOnRecord {
  readonly deposit: bigint;
  readonly charged: bigint;
  readonly signed: bigint;
  /** No voucher above this amount was sent. */
  readonly signedUpTo: bigint;
}

/** The buyer's knowledge after a restart: everything that may have been signed may have been charged. */
export function resumeSpending({ deposit, charged, signed, signedUpTo }: SpendingOnRecord): ChannelSpending {
  return { deposit, charged, signed, underWay: [], doubtful: signedUpTo - charged };
}

/**
 * The amount to sign for a request that may cost `maximum`, and the state once it is signed; undefined if the channel
 * needs a top-up first. `coming` is the amount of a deposit that is sent with the voucher.
 */
export function signNext(
  spending: ChannelSpending,
  maximum: bigint,
  coming = 0n,
): { readonly amount: bigint; readonly next: ChannelSpending } | undefined {
  const needed = spending.charged + reservedBy(spending) + maximum;
  const amount = needed > spending.signed ? needed : spending.signed + 1n;
  if (amount > spending.deposit + coming) return undefined;
  return { amount, next: { ...spending, signed: amount, underWay: [...spending.underWay, { id: amount, maximum }] } };
}

/**
 * Ends a request with the cost that its receipt gives, or with 0 if it was refused. A charge above the request's
 * maximum is a lie: it is not believed, and undefined is returned.
 */
export function learnCharge(spending: ChannelSpending, id: bigint, cost: bigint): ChannelSpending | undefined {
  const request = find(spending, id);
  if (request === undefined || cost < 0n || cost > request.maximum) return undefined;
  return { ...without(spending, request), charged: spending.charged + cost };
}

/**
 * Applies the receipt in a stream's head, which gives the charge so far. The request goes on and may cost the rest; the
 * code that reads the stream to its end must end the request in doubt. Undefined for a charge above its maximum, as
 * with {@link learnCharge}.
 */
export function learnPart(spending: ChannelSpending, id: bigint, cost: bigint): ChannelSpending | undefined {
  const request = find(spending, id);
  if (request === undefined || cost < 0n || cost > request.maximum) return undefined;
  const rest = { id, maximum: request.maximum - cost };
  const underWay = spending.underWay.map((candidate) => (candidate === request ? rest : candidate));
  return { ...spending, charged: spending.charged + cost, underWay };
}

/** Ends a request whose full cost is not known: it may have cost anything up to the rest of its maximum. */
export function endInDoubt(spending: ChannelSpending, id: bigint): ChannelSpending {
  const request = find(spending, id);
  if (request === undefined) return spending;
  return { ...without(spending, request), doubtful: spending.doubtful + request.maximum };
}

/** Applies the receipt of a request that had ended in doubt; undefined for a charge above its maximum. */
export function learnLate(
  spending: ChannelSpending,
  { maximum }: Pick<OpenRequest, 'maximum'>,
  cost: bigint,
): ChannelSpending | undefined {
  if (cost < 0n || cost > maximum) return undefined;
  const { charged, doubtful } = spending;
  // An amount that is no longer in doubt was adopted before.
  return { ...spending, charged: charged + least(cost, doubtful), doubtful: doubtful - least(maximum, doubtful) };
}

/**
 * Adopts the state in a corrective 402. The caller has verified that the voucher for `reported.signed` is signed by the
 * buyer's own key. A charge is believed as far as receipts, requests in doubt and requests under way explain it. It is
 * also believed up to a voucher above all those signed here, because then somebody else has the same key. Undefined
 * means that it is a lie. The part that requests in doubt explain counts as their cost, because requests under way
 * report theirs themselves.
 */
export function adopt(
  spending: ChannelSpending,
  reported: { readonly charged: bigint; readonly signed: bigint },
): ChannelSpending | undefined {
  const { charged, signed, doubtful } = spending;
  const reserved = reservedBy(spending);
  const explained = reported.signed > signed ? reported.signed : charged + doubtful + reserved;
  if (reported.charged > reported.signed || reported.charged > explained) return undefined;
  const excess = atLeastZero(reported.charged - charged);
  const late = least(excess, doubtful);
  const foreign = atLeastZero(excess - late - reserved);
  return {
    ...spending,
    charged: charged + late + foreign,
    signed: reported.signed > signed ? reported.signed : signed,
    doubtful: doubtful - late,
  };
}

function find({ underWay }: ChannelSpending, id: bigint): OpenRequest | undefined {
  return underWay.find((candidate) => candidate.id === id);
}

function without(spending: ChannelSpending, request: OpenRequest): ChannelSpending {
  return { ...spending, underWay: spending.underWay.filter((candidate) => candidate !== request) };
}

function reservedBy({ underWay }: ChannelSpending): bigint {
  return underWay.reduce((sum, { maximum }) => sum + maximum, 0n);
}

function atLeastZero(amount: bigint): bigint {
  return amount > 0n ? amount : 0n;
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
