import { describe, expect, it } from 'vitest';
import { useStage } from '../stage.ts';
import { stockFetch } from './stock-fetch.ts';

const stage = useStage();
const REQUESTS = 12;

/** How many of a row of one-cent requests were paid. */
async function paidOf(fetchPaid: (url: string) => Promise<Response>, url: string): Promise<number> {
  let paid = 0;
  for (let index = 0; index < REQUESTS; index++) {
    paid += await fetchPaid(`${url}/${index}`).then(
      ({ ok }) => Number(ok),
      () => 0,
    );
  }
  return paid;
}

describe('many small payments', () => {
  it('stock has no total: every one of them is paid', async () => {
    const seller = await stage.sellerThat(stage.honest);
    expect(await paidOf(stockFetch(stage.chain), seller.url)).toBe(REQUESTS);
  });

  it.each([['perHour'], ['perDay'], ['perOrigin']] as const)('ours stops at the total (%s)', async (limit) => {
    const seller = await stage.sellerThat(stage.honest);
    expect(await paidOf(stage.paying({ spend: { [limit]: '$0.05' } }), seller.url)).toBe(5);
    expect(await stage.chain.confirmed()).toHaveLength(5);
  });

  it('ours counts what is under way at the same time', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const fetchPaid = stage.paying({ spend: { perHour: '$0.05' } });
    const outcomes = await Promise.allSettled(
      Array.from({ length: REQUESTS }, (_, index) => fetchPaid(`${seller.url}/${index}`)),
    );
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(refused).toHaveLength(REQUESTS - 5);
    for (const error of refused) expect(error).toMatchObject({ code: 'spend_limit_exceeded' });
    expect(await stage.chain.confirmed()).toHaveLength(5);
  });
});
