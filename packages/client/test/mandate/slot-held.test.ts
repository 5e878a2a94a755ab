import { expect, it } from 'vitest';
import { SpendPolicy } from '../../src/budget/spend-policy.ts';
import { Spending } from '../../src/budget/spending.ts';
import { readRequest } from '../../src/http/replayable-request.ts';
import { PaymentProof } from '../../src/payment/paid-request.ts';
import { presentPayment } from '../../src/payment/present-payment.ts';
import { asking, STRANGE_HEADER } from '../seller.ts';

const URL_OF_SELLER = 'http://seller.example/';
const HELD = 'invalid_exact_avm_lease_held';

/** The pauses after a refusal for this reason, ms, by which no node knows what became of the payment. */
async function waitsAfter(reason: string, slot: object): Promise<number[]> {
  const { headers = {} } = asking([{}], { error: reason });
  const waits: number[] = [];
  const spending = new Spending({ policy: new SpendPolicy(), algodOf: () => undefined, now: () => 0 });
  const payment = { txId: 'T', ...slot } as never;
  const proof = new PaymentProof(STRANGE_HEADER, new URL(URL_OF_SELLER));
  const presented = await presentPayment(
    await readRequest(URL_OF_SELLER),
    { state: 'sent', payment, proof },
    {
      fetch: async () => new Response('', { status: 402, headers }),
      spending,
      recoverMs: 30_000,
      now: () => 0,
      sleep: async (ms) => void waits.push(ms),
    },
  );
  expect(presented).toMatchObject({ paid: { state: 'sent' }, response: { status: 402 } });
  return waits;
}

it('a payment whose slot another one holds, as its seller says, waits for that one no longer than recoverMs', async () => {
  const waited = (await waitsAfter(HELD, { slotLease: 'AAAA' })).reduce((sum, ms) => sum + ms, 0);
  expect([waited > 15_000, waited <= 30_000]).toEqual([true, true]);
});

it('a payment without a slot, or one that is refused for another reason, waits for nobody', async () => {
  expect(await waitsAfter(HELD, {})).toEqual([]);
  expect(await waitsAfter('settlement_rejected', { slotLease: 'AAAA' })).toEqual([]);
});
