/** How many amounts of a channel are remembered; a voucher below all of them is too old. */
const REMEMBERED_AMOUNTS = 1000;

/** A request that was admitted and is not charged or released yet. */
interface Reservation {
  /** The voucher's amount: the request's id. */
  readonly id: bigint;
  /** Most that it may cost, atomic units. */
  readonly maximum: bigint;
}

/**
 * What a seller knows of a channel's money, atomic units. At any time
 * `charged + Σ reserved ≤ authorized ≤ balance`: what was served can be claimed.
 */
export interface ChannelCredit {
  /** What the channel's account holds. */
  readonly balance: bigint;
  /** The highest voucher. */
  readonly authorized: bigint;
  /** What was served and paid for so far, all requests together. */
  readonly charged: bigint;
  readonly reserved: readonly Reservation[];
  /** Amounts of vouchers that came, ascending. */
  readonly seen: readonly bigint[];
}

/** Why a voucher admits no request. */
export type CreditRefusal =
  /** More than the channel holds: top up. */
  | 'cumulative_exceeds_balance'
  /** Its amount came before: another request has it as its id. */
  | 'channel_busy'
  /** Too little for what is charged and under way, or too old: sign anew, above what the seller tells. */
  | 'cumulative_amount_mismatch';

export function openCredit(balance: bigint): ChannelCredit {
  return { balance, authorized: 0n, charged: 0n, reserved: [], seen: [] };
}

/**
 * Admits a request that may cost `maximum` by a voucher over `amount`, whose signature is checked. Vouchers may overtake
 * each other: what counts is the highest one, and that each amount comes once.
 */
export function admit(
  credit: ChannelCredit,
  { amount, maximum }: { readonly amount: bigint; readonly maximum: bigint },
): ChannelCredit | CreditRefusal {
  if (amount > credit.balance) return 'cumulative_exceeds_balance';
  if (credit.seen.includes(amount)) return 'channel_busy';
  const isFull = credit.seen.length === REMEMBERED_AMOUNTS;
  if (isFull && amount < (credit.seen[0] ?? 0n)) return 'cumulative_amount_mismatch';
  const authorized = amount > credit.authorized ? amount : credit.authorized;
  if (credit.charged + reservedBy(credit) + maximum > authorized) return 'cumulative_amount_mismatch';
  const seen = [...credit.seen, amount].toSorted((a, b) => (a < b ? -1 : 1)).slice(-REMEMBERED_AMOUNTS);
  return { ...credit, authorized, reserved: [...credit.reserved, { id: amount, maximum }], seen };
}

/**
 * Charges an admitted request what it cost, at most its maximum, and ends it. 0 releases it: a failed handler costs nothing.
 * @throws RangeError for more than the maximum, a negative charge, or a request that is not under way
 */
export function charge(credit: ChannelCredit, id: bigint, cost: bigint): ChannelCredit {
  const reservation = credit.reserved.find((candidate) => candidate.id === id);
  if (reservation === undefined) throw new RangeError(`no request ${id} is under way in this channel`);
  if (cost < 0n || cost > reservation.maximum) {
    throw new RangeError(`a request that may cost ${reservation.maximum} was to be charged ${cost}`);
  }
  const reserved = credit.reserved.filter((candidate) => candidate !== reservation);
  return { ...credit, charged: credit.charged + cost, reserved };
}

function reservedBy({ reserved }: ChannelCredit): bigint {
  return reserved.reduce((sum, { maximum }) => sum + maximum, 0n);
}
