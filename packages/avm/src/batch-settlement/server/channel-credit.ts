/** The number of a channel's amounts that are remembered; a voucher below all of them is too old. */
export const REMEMBERED_AMOUNTS = 1000;

/** A request that was admitted and is neither charged nor released yet. */
interface Reservation {
  /** The voucher's amount, which is the request's id. */
  readonly id: bigint;
  /** The most that the request may cost, atomic units. */
  readonly maximum: bigint;
}

/**
 * A seller's knowledge of a channel's money, atomic units. At any time `charged + Σ reserved ≤ authorized ≤ balance`,
 * so everything served can be claimed.
 */
export interface ChannelCredit {
  /** The balance of the channel's account. */
  readonly balance: bigint;
  /** The amount of the highest voucher. */
  readonly authorized: bigint;
  /** The total charged so far for all requests together. */
  readonly charged: bigint;
  readonly reserved: readonly Reservation[];
  /** Amounts of the vouchers received, ascending. */
  readonly seen: readonly bigint[];
  /** A voucher below it admits nothing, because the amounts received below it are forgotten. */
  readonly floor: bigint;
}

/** Reasons why a voucher does not admit a request. */
export type CreditRefusal =
  /** The amount exceeds the channel's balance: top up. */
  | 'cumulative_exceeds_balance'
  /** The amount was used before, so it is another request's id. */
  | 'channel_busy'
  /**
   * The amount is too small for the requests charged and under way, or too old: sign again, above the amounts that the
   * seller reports.
   */
  | 'cumulative_amount_mismatch';

export function openCredit(balance: bigint): ChannelCredit {
  return { balance, authorized: 0n, charged: 0n, reserved: [], seen: [], floor: 0n };
}

/**
 * Admits a request that may cost `maximum`, paid by a voucher for `amount` whose signature was checked. Vouchers may
 * overtake each other: the highest one counts, and each amount is accepted once.
 */
export function admit(
  credit: ChannelCredit,
  { amount, maximum }: { readonly amount: bigint; readonly maximum: bigint },
): ChannelCredit | CreditRefusal {
  if (amount > credit.balance) return 'cumulative_exceeds_balance';
  if (hasReceived(credit, amount)) return 'channel_busy';
  const [lowest = 0n] = credit.seen.length === REMEMBERED_AMOUNTS ? credit.seen : [];
  if (amount < credit.floor || amount < lowest) return 'cumulative_amount_mismatch';
  const authorized = amount > credit.authorized ? amount : credit.authorized;
  if (credit.charged + reservedBy(credit) + maximum > authorized) return 'cumulative_amount_mismatch';
  const reserved = [...credit.reserved, { id: amount, maximum }];
  return { ...credit, authorized, reserved, ...remembering(credit, withAmount(credit.seen, amount)) };
}

/** The amounts to remember, and the floor above the others. */
export function remembering(
  { floor }: Pick<ChannelCredit, 'floor'>,
  amounts: readonly bigint[],
): Pick<ChannelCredit, 'seen' | 'floor'> {
  const forgotten = amounts.slice(0, -REMEMBERED_AMOUNTS).at(-1);
  const seen = amounts.slice(-REMEMBERED_AMOUNTS);
  return { seen, floor: forgotten !== undefined && forgotten >= floor ? forgotten + 1n : floor };
}

/** Whether a voucher for this amount was received before, as far as amounts are remembered. */
export function hasReceived({ seen }: ChannelCredit, amount: bigint): boolean {
  const highest = seen.at(-1);
  return highest !== undefined && amount <= highest && seen.includes(amount);
}

/** Inserts an amount from the end, because most vouchers arrive in order. */
function withAmount(seen: readonly bigint[], amount: bigint): bigint[] {
  const later = seen.findLastIndex((known) => known < amount) + 1;
  return [...seen.slice(0, later), amount, ...seen.slice(later)];
}

/**
 * Charges an admitted request its cost, at most its maximum, and ends it. 0 releases the request: a failed handler
 * costs nothing.
 * @throws RangeError for more than the maximum, a negative charge, or a request that is not under way
 */
export function charge(credit: ChannelCredit, id: bigint, cost: bigint): ChannelCredit {
  const reservation = reservationFor(credit, id, cost);
  const reserved = credit.reserved.filter((candidate) => candidate !== reservation);
  return { ...credit, charged: credit.charged + cost, reserved };
}

/**
 * Charges a part of a request's maximum. The request goes on and may cost the rest.
 * @throws RangeError as `charge`
 */
export function chargePart(credit: ChannelCredit, id: bigint, cost: bigint): ChannelCredit {
  const reservation = reservationFor(credit, id, cost);
  const rest = { id, maximum: reservation.maximum - cost };
  const reserved = credit.reserved.map((candidate) => (candidate === reservation ? rest : candidate));
  return { ...credit, charged: credit.charged + cost, reserved };
}

/** Ends a request that got no answer as if it had never arrived: its amount may be used again. */
export function withdraw(credit: ChannelCredit, id: bigint): ChannelCredit {
  const reserved = credit.reserved.filter((candidate) => candidate.id !== id);
  return { ...credit, reserved, seen: credit.seen.filter((amount) => amount !== id) };
}

function reservationFor(credit: ChannelCredit, id: bigint, cost: bigint): Reservation {
  const reservation = credit.reserved.find((candidate) => candidate.id === id);
  if (reservation === undefined) throw new RangeError(`no request ${id} is under way in this channel`);
  if (cost < 0n || cost > reservation.maximum) {
    throw new RangeError(`a request that may cost ${reservation.maximum} was to be charged ${cost}`);
  }
  return reservation;
}

function reservedBy({ reserved }: ChannelCredit): bigint {
  return reserved.reduce((sum, { maximum }) => sum + maximum, 0n);
}
