import { MAX_SLOTS } from './mandate-config.ts';

/** Rounds of a window, about 23 minutes. Window n ends with round n × 500, and begins after the one before. */
export const WINDOW_ROUNDS = 500n;

/** The last round of the window that a round belongs to. */
export function windowEnd(round: bigint): bigint {
  return round + ((WINDOW_ROUNDS - (round % WINDOW_ROUNDS)) % WINDOW_ROUNDS);
}

/**
 * The last valid round of a payment that is made after `lastRound` and must stay valid for `rounds` more: the end of
 * this window, or of the next one if too little of this one is left. A payment that is valid for longer than 500 rounds
 * takes its slot in both windows.
 */
export function paymentEnd(lastRound: bigint, rounds: bigint): bigint {
  const end = windowEnd(lastRound + 1n);
  return end - lastRound >= rounds ? end : end + WINDOW_ROUNDS;
}

/** The last round in which a mandate of this expiry pays: a payment ends with a window, and so does the last one. */
export function lastPayingRound(expiry: bigint): bigint {
  return expiry - (expiry % WINDOW_ROUNDS);
}

const LEASE_BYTES = 32;

/**
 * The lease of a slot: its number, big endian, in 32 bytes. The first slot is 1, because 32 zero bytes are no lease.
 * @throws RangeError for a number that is no slot's
 */
export function slotLease(slot: bigint): Uint8Array {
  if (slot < 1n || slot > MAX_SLOTS) throw new RangeError(`${slot} is not a slot`);
  const lease = new Uint8Array(LEASE_BYTES);
  new DataView(lease.buffer).setBigUint64(LEASE_BYTES - 8, slot);
  return lease;
}

/** The slot whose lease this is; undefined if it is no slot's. */
export function slotOfLease(lease: Uint8Array): bigint | undefined {
  if (lease.length !== LEASE_BYTES || lease.subarray(0, -8).some((byte) => byte !== 0)) return undefined;
  const slot = new DataView(lease.buffer, lease.byteOffset).getBigUint64(LEASE_BYTES - 8);
  return slot >= 1n && slot <= MAX_SLOTS ? slot : undefined;
}
