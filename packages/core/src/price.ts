import { X402Error } from './errors.ts';
import { quoted } from './quoted.ts';

const PRICE = /^\$?(?<whole>0|[1-9]\d{0,19})(?:\.(?<fraction>\d{1,30}))?$/;
const NEGATIVE = /^(?:-\$?|\$-)\d/;
const ATOMIC = /^(?:0|[1-9]\d{0,19})$/;
/** Amounts of an Algorand asset have 64 bits; its decimals are at most 19. */
const MAX_ATOMIC = 2n ** 64n - 1n;
export const MAX_DECIMALS = 19;
/** Decimals of an amount of dollars, as limits and budgets count them. */
export const USD_DECIMALS = 6;
/** Fractions of money have at least two places. */
const CENTS = 2;

/**
 * Converts a price in whole units of an asset to atomic units: `"$0.01"` is 10,000 at 6 decimals. Never rounds.
 * @throws X402Error `invalid_price`; `price_too_precise` (more decimals than the asset, trailing zeros aside);
 * `price_not_positive`; `invalid_amount` (above 2^64 − 1); `invalid_decimals`
 */
export function parsePrice(price: string, decimals: number): bigint {
  const places = checkedDecimals(decimals);
  const { whole, fraction = '' } = (typeof price === 'string' && PRICE.exec(price)?.groups) || {};
  if (whole === undefined) throw notAPrice(price);
  const digits = fraction.replace(/0+$/, '');
  if (digits.length > places) {
    throw new X402Error('price_too_precise', { message: `${price} has more than the asset's ${places} decimals` });
  }
  const atomic = BigInt(whole + digits.padEnd(places, '0'));
  if (atomic === 0n) throw new X402Error('price_not_positive', { message: `the price ${price} is zero` });
  return bounded(atomic);
}

function notAPrice(price: string): X402Error {
  const text = quoted(price);
  return NEGATIVE.test(price)
    ? new X402Error('price_not_positive', { message: `the price ${text} is negative` })
    : new X402Error('invalid_price', { message: `not a price: ${text}` });
}

/**
 * Formats an amount of dollars as people write it: 10,000 atomic units at 6 decimals are `"$0.01"`, 500,000 are
 * `"$0.50"`, 1,000,000 are `"$1"`. Every digit is kept. Inverse of {@link parsePrice}.
 * @throws X402Error `invalid_decimals`
 */
export function formatMoney(atomic: bigint, decimals: number): string {
  return formatAmount(atomic, decimals).replace(/^-?/, '$&$$');
}

/**
 * Formats an amount of any asset that way, without its name: 1,500,000 µAlgo are `"1.50"`.
 * @throws X402Error `invalid_decimals`
 */
export function formatAmount(atomic: bigint, decimals: number): string {
  const places = checkedDecimals(decimals);
  const [sign, units] = atomic < 0n ? ['-', -atomic] : ['', atomic];
  const digits = units.toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  const shown = fraction.padEnd(Math.min(CENTS, places), '0');
  return `${sign}${whole}${fraction === '' ? '' : `.${shown}`}`;
}

/**
 * Sets the thousands of the amount apart that a text begins with, for people only: `"$1000000.50"` is
 * `"$1,000,000.50"`. {@link parsePrice} refuses it, because in some countries `1,000` is one.
 */
export function withSeparators(text: string): string {
  return text.replace(/^\D?\D?\d+/, (whole) => whole.replaceAll(/\B(?=(\d{3})+$)/g, ','));
}

/** Decimals come from an asset's record; a wrong number here would shift the price by powers of ten. */
function checkedDecimals(decimals: number): number {
  if (Number.isInteger(decimals) && decimals >= 0 && decimals <= MAX_DECIMALS) return decimals;
  throw new X402Error('invalid_decimals', { message: `an asset has 0 to ${MAX_DECIMALS} decimals, not ${decimals}` });
}

/**
 * Reads an amount in atomic units as the protocol writes it: decimal digits, no sign, no leading zeros, below 2^64.
 * @throws X402Error `invalid_amount`
 */
export function parseAtomicAmount(text: string): bigint {
  if (!ATOMIC.test(text)) {
    throw new X402Error('invalid_amount', { message: `not an atomic amount: ${quoted(text)}` });
  }
  return bounded(BigInt(text));
}

function bounded(atomic: bigint): bigint {
  if (atomic > MAX_ATOMIC) throw new X402Error('invalid_amount', { message: `${atomic} is above 2^64 − 1` });
  return atomic;
}
