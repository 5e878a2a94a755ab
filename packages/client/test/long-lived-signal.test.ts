import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { Spending } from '../src/budget/spending.ts';
import { SpendPolicy } from '../src/budget/spend-policy.ts';
import { PaymentProof } from '../src/payment/paid-request.ts';
import { presentPayment } from '../src/payment/present-payment.ts';
import { readRequest } from '../src/http/replayable-request.ts';
import { collectGarbage } from './memory.ts';
import { paidAnswers, settledOn } from './paid-answers.ts';
import { STRANGE_HEADER, type Seller } from './seller.ts';
import { useStage } from './stage.ts';

const stage = useStage();

/** Fails five times, then answers. */
const stumbling = (): Promise<Seller> => stage.sellerThat((_seen, all) => (all.length <= 5 ? { status: 502 } : {}));

/** Presents a payment until it is answered, with as many attempts as that takes and without pauses between them. */
async function present(seller: Seller, signal: AbortSignal, send: typeof fetch): Promise<Response> {
  const proof = new PaymentProof(STRANGE_HEADER, new URL(seller.url));
  const paid = { state: 'sent', payment: { txId: 'T' } as never, proof } as const;
  const sleep = (): Promise<void> => Promise.resolve();
  const spending = new Spending({ policy: new SpendPolicy(), algodOf: () => undefined, now: Date.now });
  const options = { fetch: send, spending, recoverMs: 60_000, now: Date.now, sleep };
  const presented = await presentPayment(await readRequest(seller.url, { signal }), paid, options);
  if ('failure' in presented) throw presented.failure;
  return presented.response;
}

describe('a signal that lives longer than the requests that it is given with', () => {
  it.each([
    ['is read', async (response: Response) => void (await response.arrayBuffer())],
    ['is dropped unread', () => Promise.resolve()],
  ])('holds nothing of their attempts once the answer has come and %s', async (_how, use) => {
    const { signal } = new AbortController();
    const attempts: WeakRef<AbortSignal>[] = [];
    const seller = await stumbling();
    const send: typeof fetch = (input, init) => {
      if (init?.signal && init.signal !== signal) attempts.push(new WeakRef(init.signal));
      return fetch(input, init);
    };
    await use(await present(seller, signal, send));
    expect(attempts).toHaveLength(6);
    await vi.waitFor(() => {
      collectGarbage();
      expect(attempts.filter((attempt) => attempt.deref())).toEqual([]);
    }, 20_000);
  });

  it.each([
    ['', (url: string, signal: AbortSignal) => [url, { signal }] as const],
    [' in a Request', (url: string, signal: AbortSignal) => [new Request(url, { signal })] as const],
  ])('is given no listener by any of them%s: Node 20 warns of too many', async (_how, argumentsOf) => {
    const seller = await stage.sellerThat(stage.honest);
    const { signal } = new AbortController();
    const fetchPaid = stage.paying({ spend: { perDay: '$5' }, onOffer: () => true });
    // A signal that came with a Request is the Request's own.
    const [input, init] = argumentsOf(seller.url, signal);
    const heard = input instanceof Request ? input.signal : signal;
    const before = getEventListeners(heard, 'abort').length;
    for (let payments = 0; payments < 3; payments++) {
      await fetchPaid(input, init);
      expect(getEventListeners(heard, 'abort')).toHaveLength(before);
    }
  });

  it('ends the body of an answer, also if that took several attempts', async () => {
    const controller = new AbortController();
    const settled = settledOn(stage);
    const seller = await stage.sellerThat(
      paidAnswers(
        () => ({ status: 502 }),
        async (payment) => ({ ...(await settled(payment)), slowlyMs: 60_000 }),
      ),
    );
    const response = await stage.paying()(seller.url, { signal: controller.signal });
    const body = response.text();
    collectGarbage();
    controller.abort(new Error('enough'));
    await expect(body).rejects.toThrow('enough');
  });
});
