import { deferred } from '@avm402/core/deferred';
import { UptoAvmClient } from '@avm402/avm/upto/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFacilitator, createMemorySettlementStore } from '../../src/index.ts';
import { DevnodeHarness, twoSponsors } from '../devnode-harness.ts';
import { KEY, withChanges } from '../harness.ts';
import { chargesOnChain } from './charges-on-chain.ts';

let h: DevnodeHarness;
beforeAll(async () => {
  h = await DevnodeHarness.start();
});
afterAll(() => h.stop());

it('a charge that two replicas begin at once, at the fees that their nodes tell, is told by both as it was settled', async () => {
  const store = withChanges(createMemorySettlementStore(), { close: async () => {} });
  const replica = (fee: bigint, simulated: () => Promise<unknown>) =>
    createFacilitator({
      networks: [
        {
          algods: [
            {
              ...h.algod,
              params: async () => ({ ...(await h.algod.params()), fee }),
              simulate: async (request) => {
                const verdict = await h.algod.simulate(request);
                await simulated();
                return verdict;
              },
            },
          ],
        },
      ],
      sponsorship: twoSponsors,
      store,
    });
  const [isVerified, mayGoOn] = [deferred<undefined>(), deferred<undefined>()];
  const slow = replica(0n, () => {
    isVerified.resolve(undefined);
    return mayGoOn.promise;
  });
  const busy = replica(4n, async () => undefined);

  const offer = h.requirements({ scheme: 'upto', extra: { feePayer: h.account('usdcIssuer').address } });
  const client = new UptoAvmClient({ account: h.account('payer'), algod: () => h.algod });
  const payload = { ...(await client.createPaymentPayload(2, offer)), accepted: offer };
  const charge = (at: typeof slow) => at.settle(payload, { ...offer, amount: '700' }, { idempotencyKey: KEY });

  const first = charge(slow);
  await isVerified.promise;
  const settled = await charge(busy);
  mayGoOn.resolve(undefined);
  expect(settled).toMatchObject({ success: true, amount: '700' });
  expect(await first).toEqual(settled);
  expect([await charge(slow), await charge(busy)]).toEqual([settled, settled]);
  expect(await chargesOnChain(h.algod, payload)).toEqual([{ txId: settled.transaction, amount: 700n }]);
  await Promise.all([slow.close(), busy.close()]);
});
