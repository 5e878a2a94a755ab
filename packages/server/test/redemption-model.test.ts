import { it } from 'vitest';
import { MARKETS, presentPayments } from './redemption-model.ts';

it.each(MARKETS)(
  'a payment ($flow, response $response) is served only when it is charged, and once it is charged its buyer gets what was paid for',
  (market) => presentPayments(market, 20),
);
