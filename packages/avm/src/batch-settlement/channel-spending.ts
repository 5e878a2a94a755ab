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
  /** Most that requests may have cost, beside what is known, that ended without a receipt over all of it. */
  readonly doubtful: bigint;
}

export function openSpending(deposit: bigint): ChannelSpending {
  return { deposit, charged: 0n, signed: 0n, underWay: [], doubtful: 0n };
}

/** What a buyer has on record of a channel. */
export interface SpendingOnRecord {
  readonly deposit: bigint;
  readonly charged: bigint;
  readonly signed: bigint;
  /** No voucher above it has left. */
  readonly signedUpTo: bigint;
}

/** What is known after the process has ended: whatever may have been signed may have been charged since. */
export function resumeSpending({ deposit, charged, signed, signedUpTo }: SpendingOnRecord): ChannelSpending {
  return { deposit, charged, signed, underWay: [], doubtful: signedUpTo - charged };
}

/** The amount to sign for a request that may cost `maximum`, and the state with it signed; undefined: top up first. */
export function signNext(
  spending: ChannelSpending,
  maximum: bigint,
): { readonly amount: bigint; readonly next: ChannelSpending } | undefined {
  const needed = spending.charged + reservedBy(spending) + maximum;
  const amount = needed > spending.signed ? needed : spending.signed + 1n;
  if (amount > spending.deposit) return undefined;
  return { amount, next: { ...spending, signed: amount, underWay: [...spending.underWay, { id: amount, maximum }] } };
}

/**
 * Ends a request with what its receipt says it cost; with 0 if it was refused. A charge above the request's maximum is a
 * lie: it is not believed, and undefined is returned.
 */
export function learnCharge(spending: ChannelSpending, id: bigint, cost: bigint): ChannelSpending | undefined {
  const request = find(spending, id);
  if (request === undefined || cost < 0n || cost > request.maximum) return undefined;
  return { ...without(spending, request), charged: spending.charged + cost };
}

/**
 * Learns what the receipt in a stream's head says: the charge so far. The request goes on, and may cost the rest; whoever has
 * read the stream to its end ends it in doubt. Undefined for a charge above its maximum, as {@link learnCharge}.
 */
export function learnPart(spending: ChannelSpending, id: bigint, cost: bigint): ChannelSpending | undefined {
  const request = find(spending, id);
  if (request === undefined || cost < 0n || cost > request.maximum) return undefined;
  const rest = { id, maximum: request.maximum - cost };
  const underWay = spending.underWay.map((candidate) => (candidate === request ? rest : candidate));
  return { ...spending, charged: spending.charged + cost, underWay };
}

/** Ends a request whose cost nobody has told in full: it may have cost anything up to what is left of its maximum. */
export function endInDoubt(spending: ChannelSpending, id: bigint): ChannelSpending {
  const request = find(spending, id);
  if (request === undefined) return spending;
  return { ...without(spending, request), doubtful: spending.doubtful + request.maximum };
}

/** The receipt of a request that had ended in doubt; undefined for a charge above its maximum. */
export function learnLate(
  spending: ChannelSpending,
  { maximum }: Pick<SignedRequest, 'maximum'>,
  cost: bigint,
): ChannelSpending | undefined {
  if (cost < 0n || cost > maximum) return undefined;
  const { charged, doubtful } = spending;
  // What is no longer in doubt was adopted before.
  return { ...spending, charged: charged + least(cost, doubtful), doubtful: doubtful - least(maximum, doubtful) };
}

/**
 * Adopts what a corrective 402 tells. `told.signed` is the amount of a voucher that the caller has found to be signed by its
 * own key. A charge is believed as far as receipts, requests in doubt and under way explain it; and up to a voucher that is
 * above all that were signed here: somebody else has the same key. Undefined: it is a lie. What requests in doubt explain is
 * taken for their cost, as those under way tell theirs themselves.
 */
export function adopt(
  spending: ChannelSpending,
  told: { readonly charged: bigint; readonly signed: bigint },
): ChannelSpending | undefined {
  const { charged, signed, doubtful } = spending;
  const reserved = reservedBy(spending);
  const explained = told.signed > signed ? told.signed : charged + doubtful + reserved;
  if (told.charged > told.signed || told.charged > explained) return undefined;
  const excess = atLeastZero(told.charged - charged);
  const late = least(excess, doubtful);
  const foreign = atLeastZero(excess - late - reserved);
  return {
    ...spending,
    charged: charged + late + foreign,
    signed: told.signed > signed ? told.signed : signed,
    doubtful: doubtful - late,
  };
}

function find({ underWay }: ChannelSpending, id: bigint): SignedRequest | undefined {
  return underWay.find((candidate) => candidate.id === id);
}

function without(spending: ChannelSpending, request: SignedRequest): ChannelSpending {
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
