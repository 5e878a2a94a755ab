import { X402Error } from './errors.ts';

const PRICE = /^\$?(?<whole>0|[1-9]\d{0,19})(?:\.(?<fraction>\d{1,30}))?$/;
const ATOMIC = /^(?:0|[1-9]\d{0,19})$/;
/** Amounts of an Algorand asset are 64-bit. */
const MAX_ATOMIC = 2n ** 64n - 1n;

/**
 * A price in whole units of an asset, for example `"$0.01"`, as atomic units: 10,000 for 6 decimals. Never rounds.
 * Errors: `invalid_price`; `price_too_precise` (more decimals than the asset, trailing zeros aside);
 * `price_not_positive`; `invalid_amount` (above 2^64 − 1).
 */
export function parsePrice(price: string, decimals: number): bigint {
  const { whole, fraction = '' } = PRICE.exec(price)?.groups ?? {};
  if (whole === undefined) {
    throw new X402Error('invalid_price', { message: `not a price: ${JSON.stringify(price.slice(0, 60))}` });
  }
  const digits = fraction.replace(/0+$/, '');
  if (digits.length > decimals) {
    throw new X402Error('price_too_precise', { message: `${price} has more than the asset's ${decimals} decimals` });
  }
  const atomic = BigInt(whole + digits.padEnd(decimals, '0'));
  if (atomic === 0n) throw new X402Error('price_not_positive', { message: `the price ${price} is zero` });
  return bounded(atomic);
}

/** Atomic units as a price without needless zeros: 10,000 at 6 decimals is `"$0.01"`. Inverse of {@link parsePrice}. */
export function formatPrice(atomic: bigint, decimals: number): string {
  const digits = atomic.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `$${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/**
 * An amount in atomic units as the protocol writes it: decimal digits, no sign, no leading zeros, below 2^64.
 * Errors: `invalid_amount`.
 */
export function parseAtomicAmount(text: string): bigint {
  if (!ATOMIC.test(text)) {
    throw new X402Error('invalid_amount', { message: `not an atomic amount: ${JSON.stringify(text.slice(0, 60))}` });
  }
  return bounded(BigInt(text));
}

function bounded(atomic: bigint): bigint {
  if (atomic > MAX_ATOMIC) throw new X402Error('invalid_amount', { message: `${atomic} is above 2^64 − 1` });
  return atomic;
}
