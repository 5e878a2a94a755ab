/** How many amounts of a channel are remembered; a voucher below all of them is too old. */
export const REMEMBERED_AMOUNTS = 1000;

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
  /** No voucher below it admits anything: which of those came is forgotten. */
  readonly floor: bigint;
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
  return { balance, authorized: 0n, charged: 0n, reserved: [], seen: [], floor: 0n };
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
  if (hasCome(credit, amount)) return 'channel_busy';
  const [lowest = 0n] = credit.seen.length === REMEMBERED_AMOUNTS ? credit.seen : [];
  if (amount < credit.floor || amount < lowest) return 'cumulative_amount_mismatch';
  const authorized = amount > credit.authorized ? amount : credit.authorized;
  if (credit.charged + reservedBy(credit) + maximum > authorized) return 'cumulative_amount_mismatch';
  const reserved = [...credit.reserved, { id: amount, maximum }];
  return { ...credit, authorized, reserved, ...remembering(credit, withAmount(credit.seen, amount)) };
}

/** As many of the amounts as are remembered, and the floor that lies above the others. */
export function remembering(
  { floor }: Pick<ChannelCredit, 'floor'>,
  amounts: readonly bigint[],
): Pick<ChannelCredit, 'seen' | 'floor'> {
  const forgotten = amounts.slice(0, -REMEMBERED_AMOUNTS).at(-1);
  const seen = amounts.slice(-REMEMBERED_AMOUNTS);
  return { seen, floor: forgotten !== undefined && forgotten >= floor ? forgotten + 1n : floor };
}

/** Whether a voucher over this amount came before, as far as it is remembered. */
export function hasCome({ seen }: ChannelCredit, amount: bigint): boolean {
  const highest = seen.at(-1);
  return highest !== undefined && amount <= highest && seen.includes(amount);
}

/** Vouchers mostly come in their order. */
function withAmount(seen: readonly bigint[], amount: bigint): bigint[] {
  const later = seen.findLastIndex((known) => known < amount) + 1;
  return [...seen.slice(0, later), amount, ...seen.slice(later)];
}

/**
 * Charges an admitted request what it cost, at most its maximum, and ends it. 0 releases it: a failed handler costs nothing.
 * @throws RangeError for more than the maximum, a negative charge, or a request that is not under way
 */
export function charge(credit: ChannelCredit, id: bigint, cost: bigint): ChannelCredit {
  const reservation = reservationFor(credit, id, cost);
  const reserved = credit.reserved.filter((candidate) => candidate !== reservation);
  return { ...credit, charged: credit.charged + cost, reserved };
}

/**
 * Charges a request a part of what it may cost; it goes on, and may cost the rest.
 * @throws RangeError as `charge`
 */
export function chargePart(credit: ChannelCredit, id: bigint, cost: bigint): ChannelCredit {
  const reservation = reservationFor(credit, id, cost);
  const rest = { id, maximum: reservation.maximum - cost };
  const reserved = credit.reserved.map((candidate) => (candidate === reservation ? rest : candidate));
  return { ...credit, charged: credit.charged + cost, reserved };
}

/** Ends a request that got no answer as if it had not come: its amount may come again. */
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
