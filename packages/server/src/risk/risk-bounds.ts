import { isX402Error } from '@avm402/core/errors';
import { type Kinds, object, text } from '@avm402/core/option-kinds';
import { parsePrice, USD_DECIMALS } from '@avm402/core/price';
import type { RiskBounds } from '../redemption/risk-store.ts';
import { checkOptions, invalidOption, pause } from '../invalid-option.ts';

/** What a seller carries on `accepted` routes, whose answers leave before the payment is in a block; bounds are dollars. */
export interface AtRisk {
  /** Most of one payment. Default `$0.05`. */
  readonly perPayment?: string;
  /** Most of one payer's payments that are not in a block yet. Default `$0.10`. */
  readonly perPayer?: string;
  /** Most of all payments that are not in a block yet. Default `$5`. */
  readonly total?: string;
  /**
   * Most that may be lost in an hour. What is not in a block yet counts as if it were lost, so no more than this is
   * ever at risk. Default `$0.50`.
   */
  readonly lossPerHour?: string;
  /**
   * Time before the first look at what other servers have left at risk, in milliseconds; while anything is, the pauses
   * between looks double, up to 30 seconds. Default: a second.
   */
  readonly sweepMs?: number;
}

const DEFAULTS = {
  perPayment: '$0.05',
  perPayer: '$0.10',
  total: '$5',
  lossPerHour: '$0.50',
} as const satisfies Required<Omit<AtRisk, 'sweepMs'>>;

const KINDS: Kinds<AtRisk> = { perPayment: text, perPayer: text, total: text, lossPerHour: text, sweepMs: pause };

/**
 * Reads the option `atRisk`.
 * @throws X402Error `invalid_option`
 */
export function parseRiskBounds(given: AtRisk): RiskBounds {
  if (!object.fits(given))
    throw invalidOption('atRisk', 'must be an object: { perPayment, perPayer, total, lossPerHour }');
  checkOptions(given, KINDS, 'atRisk.');
  const bound = (name: keyof typeof DEFAULTS): bigint => {
    try {
      return parsePrice(given[name] ?? DEFAULTS[name], USD_DECIMALS);
    } catch (error) {
      if (!isX402Error(error)) throw error;
      throw invalidOption(`atRisk.${name}`, `must be dollars, such as ${DEFAULTS[name]}: ${error.message}`);
    }
  };
  return {
    perPayment: bound('perPayment'),
    perPayer: bound('perPayer'),
    total: bound('total'),
    lossPerHour: bound('lossPerHour'),
  };
}
