import { parseAddress } from '@avm402/algorand/address';
import { USDC_ASSETS } from '@avm402/avm/exact/client';
import { type AllowedAsset, type SpendOptions, USD_DECIMALS } from '@avm402/client';
import { parseAtomicAmount } from '@avm402/core/price';
import { amountValue, invalidArguments, type OptionValues, valueOf } from '../command/command.ts';

/** Options that say what one payment may cost. */
export const LIMIT_OPTIONS = {
  max: { type: 'string' },
  asset: { type: 'string', multiple: true },
  'pay-to': { type: 'string', multiple: true },
  'allow-http': { type: 'boolean' },
} as const;

export const LIMIT_HELP = `Limits
      --max PRICE         pay at most PRICE (default $1)
      --asset ASSET       also pay in this asset: NETWORK/ID=AMOUNT, where AMOUNT is the limit in its
                          atomic units; may be repeated
      --pay-to ADDRESS    pay only this receiver; may be repeated
      --allow-http        also pay over plain HTTP to other machines`;

/** Options that say what all payments of a journal may cost. */
export const TIME_OPTIONS = {
  'per-hour': { type: 'string' },
  'per-day': { type: 'string' },
  'per-origin': { type: 'string' },
} as const;

export const BUDGET_OPTIONS = {
  ...TIME_OPTIONS,
  journal: { type: 'string' },
  'no-proofs': { type: 'boolean' },
} as const;

export const BUDGET_HELP = `Limits across runs
      --journal FILE      remember payments in FILE, and unanswered ones in FILE.proofs: the same request
                          sends the same payment again, even after a crash
      --no-proofs         keep no FILE.proofs: anyone who reads it can collect what was paid for
      --per-hour PRICE    spend at most PRICE in any 60 minutes
      --per-day PRICE     spend at most PRICE in any 24 hours
      --per-origin PRICE  spend at most PRICE at one origin in any 24 hours`;

/** @throws X402Error `invalid_arguments` */
export function spendBudgets(
  values: OptionValues<typeof TIME_OPTIONS> & { readonly journal?: string | undefined },
): SpendOptions {
  const { journal, 'per-hour': perHour, 'per-day': perDay, 'per-origin': perOrigin } = values;
  for (const name of ['per-hour', 'per-day', 'per-origin'] as const) {
    const price = values[name];
    if (price === undefined) continue;
    dollarValue(`--${name}`, price);
    if (journal === undefined) throw invalidArguments(`--${name} needs --journal, to know of earlier payments`);
  }
  return {
    ...(perHour !== undefined && { perHour }),
    ...(perDay !== undefined && { perDay }),
    ...(perOrigin !== undefined && { perOrigin }),
  };
}

/** @throws X402Error `invalid_arguments` */
export function spendLimits(values: OptionValues<typeof LIMIT_OPTIONS>): SpendOptions {
  const { max, asset, 'pay-to': payTo, 'allow-http': allowHttp } = values;
  if (max !== undefined) dollarValue('--max', max);
  for (const address of payTo ?? []) valueOf('--pay-to', () => parseAddress(address));
  return {
    ...(max !== undefined && { perPayment: max }),
    ...(asset && { assets: [...USDC_ASSETS, ...asset.map(parseAsset)] }),
    ...(payTo && { payTo }),
    ...(allowHttp !== undefined && { allowHttp }),
  };
}

function parseAsset(text: string): AllowedAsset {
  const { network, asset, amount } = /^(?<network>.+)\/(?<asset>\d+)=(?<amount>\d+)$/.exec(text)?.groups ?? {};
  if (network !== undefined && asset !== undefined && amount !== undefined) {
    return { network, asset, limits: { perPayment: valueOf('--asset', () => parseAtomicAmount(amount)) } };
  }
  throw invalidArguments(`--asset ${text} is not NETWORK/ID=AMOUNT`);
}

/**
 * An amount of dollars in millionths.
 * @throws X402Error `invalid_arguments`
 */
export function dollarValue(name: string, text: string): bigint {
  return amountValue(name, text, { decimals: USD_DECIMALS, example: '$0.05' });
}
