import { expect, it } from 'vitest';
import { mandateSigner } from '@avm402/client/mandate';
import { ExactAvmScheme } from '@x402/avm';
import { x402Client } from '@x402/core/client';
import { wrapFetchWithPayment } from '@x402/fetch';
import { useStage } from '../stage.ts';
import { agentKey, openedMandate, settling } from './mandate-stage.ts';

const stage = useStage();

it('the published client pays from a mandate, unchanged, each time in a slot of its own', async () => {
  const { chain } = stage;
  const mandate = await openedMandate(chain);
  const seller = await stage.sellerThat(settling(chain));
  const stockFetch = () => {
    const signer = mandateSigner({ mandate, agentKey, algod: chain.algod });
    const scheme = new ExactAvmScheme(signer, { algodUrl: chain.url, algodToken: chain.token });
    return wrapFetchWithPayment(fetch, new x402Client().register('algorand:*', scheme));
  };
  // Two processes of one agent.
  for (const fetchPaid of [stockFetch(), stockFetch()]) expect((await fetchPaid(seller.url)).status).toBe(200);
  expect(seller.payments()).toHaveLength(2);
  await expect(stockFetch()(seller.url)).rejects.toThrow(/all 2 slots are taken/);
});
