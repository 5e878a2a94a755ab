import { USDC_ASSETS } from '@avm402/avm/exact/client';
import { X402Error } from '@avm402/core/errors';
import { parseAtomicAmount } from '@avm402/core/price';
import type { OptionValues } from './command.ts';
import type { AllowedAsset, SpendOptions } from '@avm402/client';

/** Options that say what one payment may cost. */
export const LIMIT_OPTIONS = {
  max: { type: 'string' },
  asset: { type: 'string', multiple: true },
  'pay-to': { type: 'string', multiple: true },
  'allow-http': { type: 'boolean' },
} as const;

export const LIMIT_HELP = `Limits
      --max PRICE         most that may be paid (default $1)
      --asset ASSET       pay in another asset than USDC, too: NETWORK/ID=AMOUNT, with the most
                          that may be paid in its atomic units; may be repeated
      --pay-to ADDRESS    pay only this receiver; may be repeated
      --allow-http        pay over plain HTTP to other machines, too`;

/** Options that say what all payments of a journal may cost. */
export const BUDGET_OPTIONS = {
  journal: { type: 'string' },
  'no-proofs': { type: 'boolean' },
  'per-hour': { type: 'string' },
  'per-day': { type: 'string' },
  'per-origin': { type: 'string' },
} as const;

export const BUDGET_HELP = `Limits across runs
      --journal FILE      remember payments in FILE, and in FILE.proofs those that lack their answer: the same
                          request sends the same payment again, also after a crash
      --no-proofs         don't keep them: who reads FILE.proofs can collect what was paid for
      --per-hour PRICE    most in any 60 minutes
      --per-day PRICE     most in any 24 hours
      --per-origin PRICE  most at one origin in any 24 hours`;

/** @throws X402Error `invalid_arguments` */
export function spendBudgets(values: OptionValues<typeof BUDGET_OPTIONS>): SpendOptions {
  const { journal, 'per-hour': perHour, 'per-day': perDay, 'per-origin': perOrigin } = values;
  for (const name of ['per-hour', 'per-day', 'per-origin'] as const) {
    if (values[name] !== undefined && journal === undefined)
      throw new X402Error('invalid_arguments', { message: `--${name} needs --journal, to know of earlier payments` });
  }
  return {
    ...(perHour !== undefined && { perHour }),
    ...(perDay !== undefined && { perDay }),
    ...(perOrigin !== undefined && { perOrigin }),
  };
}

/** @throws X402Error `invalid_arguments`, `invalid_amount` */
export function spendLimits(values: OptionValues<typeof LIMIT_OPTIONS>): SpendOptions {
  const { max, asset, 'pay-to': payTo, 'allow-http': allowHttp } = values;
  return {
    ...(max !== undefined && { perPayment: max }),
    ...(asset && { assets: [...USDC_ASSETS, ...asset.map(readAsset)] }),
    ...(payTo && { payTo }),
    ...(allowHttp !== undefined && { allowHttp }),
  };
}

function readAsset(text: string): AllowedAsset {
  const { network, asset, amount } = /^(?<network>.+)\/(?<asset>\d+)=(?<amount>\d+)$/.exec(text)?.groups ?? {};
  if (network !== undefined && asset !== undefined && amount !== undefined) {
    return { network, asset, limits: { perPayment: parseAtomicAmount(amount) } };
  }
  throw new X402Error('invalid_arguments', { message: `--asset ${text} is not NETWORK/ID=AMOUNT` });
}
