import { inject, it } from 'vitest';
import { MARKETS, presentPayments } from './redemption-model.ts';

const PAYMENTS = 600 * inject('soakShare');

it.each(MARKETS)(
  `${PAYMENTS} payments ($flow, response $response) are served only when charged, and once charged their buyers get what was paid for`,
  (market) => presentPayments(market, PAYMENTS),
);
