import { expect, it } from 'vitest';
import { givePaymentsBack } from './free-rows.ts';
import { openMarket } from '../market.ts';

it('payments that cost their maker nothing leave no row behind: 300 that were given back', async () => {
  await using market = await openMarket();
  const { statuses, rows } = await givePaymentsBack(market, 10);
  expect([new Set(statuses), statuses.length, rows]).toEqual([new Set([404]), 300, 0]);
});
