import type { PriceQuestion } from '@avm402/avm/exact/server';
import type { AssetAmount, SchemeNetworkServer } from '@x402/core/types';

interface Quoting {
  quote(question: PriceQuestion): AssetAmount;
}

/** Whether a scheme can price synchronously and knows `extra`, as ours does; stock's can't. */
export function isQuoting(scheme: SchemeNetworkServer): scheme is SchemeNetworkServer & Quoting {
  return 'quote' in scheme && typeof scheme.quote === 'function';
}
