import { expect, it } from 'vitest';
import { HeldVouchers, type CarriedVoucher } from '../../src/channels/held-vouchers.ts';
import { readRequest, type ReplayableRequest } from '../../src/http/replayable-request.ts';

const asking = (path: number): Promise<ReplayableRequest> => readRequest(`https://x.example/${path}`);
const carriedTo = (path: number): CarriedVoucher => ({ header: `${path}` }) as CarriedVoucher;

it('holds the vouchers of 10,000 requests; the oldest goes when another one comes', async () => {
  const held = new HeldVouchers(() => 0);
  for (let path = 0; path < 10_000; path++) held.keep(await asking(path), carriedTo(path));
  held.keep(await asking(10_000), carriedTo(10_000));
  expect(held.take(await asking(0))).toBeUndefined();
  expect(held.take(await asking(1))).toEqual(carriedTo(1));
  expect(held.take(await asking(10_000))).toEqual(carriedTo(10_000));
});
