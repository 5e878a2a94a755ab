/** Exit codes of `avm402`, the same for every command. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** No payment was settled. */
  unpaid: 3,
  /** The payment was settled, but the resource answered an error, or not at all. */
  paidWithoutResource: 4,
  /** A payment or another transaction left, or may have, and its outcome is not known. */
  unknown: 5,
  /** All was done, but stdout could not be written. */
  unwritten: 6,
} as const;

export const EXIT_CODES_HELP = `Exit codes
  0  done
  1  failed; nothing was paid
  2  wrong usage
  3  no payment settled
  4  a payment settled, but the resource answered an error
  5  the outcome of a payment or transaction is not yet known: do not send another
  6  done, but the output could not be written`;
