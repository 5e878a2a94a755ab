import { expect, it } from 'vitest';
import { SpendPolicy } from '../../src/budget/spend-policy.ts';
import { Spending } from '../../src/budget/spending.ts';
import { readRequest } from '../../src/http/replayable-request.ts';
import { PaymentProof } from '../../src/payment/paid-request.ts';
import { presentPayment } from '../../src/payment/present-payment.ts';
import { asking, STRANGE_HEADER } from '../seller.ts';

const { headers = {} } = asking([{}], { error: 'invalid_exact_avm_lease_held' });
const URL_OF_SELLER = 'http://seller.example/';

it('a payment whose slot another one holds, as its seller says, waits for that one no longer than recoverMs', async () => {
  const waits: number[] = [];
  const spending = new Spending({ policy: new SpendPolicy(), algodOf: () => undefined, now: () => 0 });
  const payment = { txId: 'T', slotLease: 'AAAA' } as never;
  const proof = new PaymentProof(STRANGE_HEADER, new URL(URL_OF_SELLER));
  const presented = await presentPayment(
    await readRequest(URL_OF_SELLER),
    { state: 'sent', payment, proof },
    {
      fetch: () => Promise.resolve(new Response('', { status: 402, headers })),
      spending,
      recoverMs: 30_000,
      now: () => 0,
      sleep: async (ms) => void waits.push(ms),
    },
  );
  expect(presented).toMatchObject({ paid: { state: 'sent' }, response: { status: 402 } });
  const waited = waits.reduce((sum, ms) => sum + ms, 0);
  expect([waited > 15_000, waited <= 30_000]).toEqual([true, true]);
});
