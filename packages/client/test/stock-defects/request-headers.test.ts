import { expect, it } from 'vitest';
import { useStage } from '../stage.ts';
import { stockFetch } from './stock-fetch.ts';

const stage = useStage();

it('stock sends a response header with its request, which every CORS server has to allow', async () => {
  const seller = await stage.sellerThat(stage.honest);
  await stockFetch(stage.chain)(seller.url);
  expect(seller.seen[1]?.headers).toHaveProperty('access-control-expose-headers');
});

it('ours adds one header to the request, the payment', async () => {
  const seller = await stage.sellerThat(stage.honest);
  await stage.paying()(seller.url);
  const [unpaid, paid] = seller.seen.map(({ headers }) => new Set(Object.keys(headers)));
  expect([...(paid ?? [])].filter((name) => !unpaid?.has(name))).toEqual(['payment-signature']);
});
