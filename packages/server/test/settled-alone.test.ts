import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Account } from '@avm402/algorand/account';
import { formatAddress } from '@avm402/algorand/address';
import { sha512_256 } from '@avm402/algorand/hash';
import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import type { Transaction } from '@avm402/algorand/transaction';
import { createMemoryRedemptionStore } from '../src/index.ts';
import { later } from './support/facilitator-stub.ts';
import { account, forge, pay, txIdOf, withPayment } from './support/payments.ts';
import { facilitator, offer, offerAt, offerIn, openShop, receiptIn, route, type ShopOptions } from './support/shop.ts';

const newId = (): string => `pay_${randomBytes(16).toString('hex')}`;
const thief = account(66);

async function open(options: ShopOptions = {}) {
  const store = createMemoryRedemptionStore();
  const upfront = { ...route, accepts: { ...offer, extra: { paymentFlow: 'upfront' } } };
  const shop = await openShop({ routes: { 'GET /report': upfront }, store, ...options });
  const url = `${shop.url}/report`;
  return {
    ...shop,
    store,
    url,
    fresh: async (paymentId?: string) => pay(await offerAt(url), { ...(paymentId && { paymentId }) }),
  };
}

const refusal = (errorReason: string, transaction = '') => ({
  body: { success: false, errorReason, errorMessage: 'why', transaction, network: '' },
});

describe('a payment of an upfront route', () => {
  it('is settled without being verified first', async () => {
    const shop = await open();
    const response = await fetch(shop.url, { headers: withPayment(await shop.fresh()) });
    expect([response.status, shop.stub.settles().length, shop.stub.verifies().length]).toEqual([200, 1, 0]);
  });

  it('is verified first where the facilitator does not say whether it has submitted anything', async () => {
    const shop = await open({ stub: await facilitator({ storeId: '' }) });
    const response = await fetch(shop.url, { headers: withPayment(await shop.fresh()) });
    expect([response.status, shop.stub.settles().length, shop.stub.verifies().length]).toEqual([200, 1, 1]);
  });

  it('that names an authorizer is verified first: a copy by anybody holds the genuine payment not up', async () => {
    const shop = await open();
    const payment = await shop.fresh();
    const verdict = later<undefined>();
    shop.stub.onVerify = () => verdict.promise;
    const copies = [1, 2, 3].map((number) =>
      fetch(shop.url, { headers: withPayment(forge(payment, account(100 + number))) }),
    );
    await expect.poll(() => shop.stub.verifies().length).toBe(3);
    const genuine = await fetch(shop.url, { headers: withPayment(payment) });
    expect([genuine.status, shop.stub.settles().length]).toEqual([200, 1]);
    verdict.resolve(undefined);
    for (const copy of await Promise.all(copies)) expect([copy.status, shop.runs()]).toEqual([402, 1]);
  });

  it('that a program signs is verified first: anybody can copy it with another argument', async () => {
    const shop = await open();
    const [note, program] = [randomBytes(16), Uint8Array.of(10, 0x81, 1)];
    const address = formatAddress(sha512_256(Uint8Array.from([...Buffer.from('Program'), ...program])));
    const by = (argument: number): Account => ({
      ...thief,
      address,
      signTransaction: (txn: Transaction) =>
        encodeSignedTransaction({ txn, logicSignature: encodeMsgpack({ arg: [Uint8Array.of(argument)], l: program }) }),
      sign: (message) => thief.sign(message),
    });
    const offered = await offerAt(shop.url);
    const [genuine, copy] = [pay(offered, { from: by(1), note }), pay(offered, { from: by(2), note })];
    expect(txIdOf(copy)).toBe(txIdOf(genuine));
    const verdict = later<undefined>();
    let asked = 0;
    shop.stub.onVerify = () => ((asked += 1) === 1 ? verdict.promise : undefined);
    const waiting = fetch(shop.url, { headers: withPayment(copy) });
    await expect.poll(() => shop.stub.verifies().length).toBe(1);
    expect((await fetch(shop.url, { headers: withPayment(genuine) })).status).toBe(200);
    expect([shop.stub.verifies().length, shop.stub.settles().length]).toEqual([2, 1]);
    verdict.resolve(undefined);
    expect([(await waiting).status, shop.runs()]).toEqual([402, 1]);
  });

  it('that settle refuses before anything was submitted is answered as by verify, and leaves no row', async () => {
    const shop = await open();
    const payment = await shop.fresh(newId());
    shop.stub.onSettle = () => refusal('invalid_exact_avm_insufficient_balance');
    for (const _time of [1, 2, 3, 4]) {
      const response = await fetch(shop.url, { headers: withPayment(payment) });
      expect([response.status, offerIn(response).error]).toEqual([402, 'invalid_exact_avm_insufficient_balance']);
      expect([receiptIn(response), await shop.store.get(txIdOf(payment)), shop.runs()]).toEqual([
        undefined,
        undefined,
        0,
      ]);
    }
    shop.stub.onSettle = () => undefined;
    expect((await fetch(shop.url, { headers: withPayment(payment) })).status).toBe(200);
  });

  it.each([
    ['that was settled for somebody else', (txId: string) => refusal('duplicate_settlement', txId)],
    [
      'that was submitted and rejected',
      (txId: string) => ({
        body: { ...refusal('settlement_rejected', txId).body, extra: { state: 'rejected', lastValid: 5 } },
      }),
    ],
  ])('%s keeps its row: it may be on chain', async (_what, answer) => {
    const shop = await open();
    const payment = await shop.fresh();
    shop.stub.onSettle = ({ txId }) => answer(txId);
    const response = await fetch(shop.url, { headers: withPayment(payment) });
    expect([response.status, receiptIn(response)?.transaction]).toEqual([402, txIdOf(payment)]);
    expect(await shop.store.get(txIdOf(payment))).toMatchObject({ state: 'released', sent: true });
  });

  it('that is refused after an attempt whose answer was lost keeps its row and its key', async () => {
    const shop = await open();
    const payment = await shop.fresh(newId());
    let attempts = 0;
    shop.stub.onSettle = () => (attempts++ === 0 ? 'cut' : refusal('invalid_exact_avm_insufficient_balance'));
    expect((await fetch(shop.url, { headers: withPayment(payment) })).status).toBe(402);
    expect(await shop.store.get(txIdOf(payment))).toMatchObject({ state: 'released', sent: true });
    shop.stub.onSettle = () => undefined;
    expect((await fetch(shop.url, { headers: withPayment(payment) })).status).toBe(200);
    expect(new Set(shop.stub.settles().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  it.each([
    ['whose nodes do not answer', { status: 503, body: { error: 'algod_unreachable' } }],
    ['that is busy', { status: 503, body: { error: 'facilitator_busy' } }],
    ['that refuses the request', { status: 429, body: { error: 'too_many_requests' } }],
  ])('gets 503 at once from a facilitator %s, and leaves no row', async (_what, answer) => {
    const shop = await open();
    const payment = await shop.fresh();
    shop.stub.onSettle = () => answer;
    const response = await fetch(shop.url, { headers: withPayment(payment) });
    expect([response.status, response.headers.get('retry-after') !== null, receiptIn(response)]).toEqual([
      503,
      true,
      undefined,
    ]);
    expect([await shop.store.get(txIdOf(payment)), shop.stub.settles().length]).toEqual([undefined, 1]);
  });

  it('gets 503 at once when no facilitator is there, and leaves no row', async () => {
    const shop = await open();
    const payments = await Promise.all(Array.from({ length: 8 }, () => shop.fresh()));
    shop.stub.stopListening();
    shop.stub.closeIdle();
    // Until the seller, in this process, has heard that its idle connection is closed.
    for (const _turn of [1, 2]) await setImmediate();
    for (const payment of payments) {
      const response = await fetch(shop.url, { headers: withPayment(payment) });
      expect([response.status, await shop.store.get(txIdOf(payment))]).toEqual([503, undefined]);
    }
  });

  it('waits for its block without keeping others from being asked for', async () => {
    const shop = await open({ maxVerifications: 1 });
    const [slow, quick] = [await shop.fresh(), await shop.fresh()];
    const mined = later<undefined>();
    shop.stub.onSettle = ({ txId }) => (txId === txIdOf(slow) ? mined.promise : undefined);
    const waiting = fetch(shop.url, { headers: withPayment(slow) });
    await expect.poll(() => shop.stub.settles().length).toBe(1);
    expect((await fetch(shop.url, { headers: withPayment(quick) })).status).toBe(200);
    mined.resolve(undefined);
    expect((await waiting).status).toBe(200);
  });

  it('is refused by a guard before anything is asked', async () => {
    const shop = await open({ beforePayment: ({ payer }) => ({ refuse: `not ${payer}` }) });
    const response = await fetch(shop.url, { headers: withPayment(await shop.fresh()) });
    expect([response.status, shop.stub.calls.length]).toEqual([403, 0]);
  });

  it('signed by a key that is not the payer’s reaches no facilitator', async () => {
    const shop = await open();
    const payment = await shop.fresh();
    const { paymentGroup, paymentIndex } = forge(payment, thief).payload as {
      paymentGroup: string[];
      paymentIndex: number;
    };
    const bytes = Buffer.from(paymentGroup[paymentIndex] ?? '', 'base64');
    const broken = Buffer.from(
      (payment.payload as { paymentGroup: string[] }).paymentGroup[paymentIndex] ?? '',
      'base64',
    );
    // The genuine element with the thief's signature in it.
    const place = broken.indexOf(Buffer.from('sig')) + 5;
    bytes.copy(broken, place, bytes.indexOf(Buffer.from('sig')) + 5, bytes.indexOf(Buffer.from('sig')) + 69);
    const group = (payment.payload as { paymentGroup: string[] }).paymentGroup.with(
      paymentIndex,
      broken.toString('base64'),
    );
    const response = await fetch(shop.url, {
      headers: withPayment({ ...payment, payload: { paymentGroup: group, paymentIndex } }),
    });
    expect([response.status, offerIn(response).error, shop.stub.calls.length]).toEqual([
      402,
      'invalid_exact_avm_invalid_signature',
      0,
    ]);
  });
});
