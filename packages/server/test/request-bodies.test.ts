import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { decodeSignedTransaction, encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { transactionSigningBytes } from '@avm402/algorand/transaction';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import express from 'express';
import { expect, it } from 'vitest';
import { account, pay, withPayment } from './support/payments.ts';
import { statusIn } from './support/raw-request.ts';
import { afterwards, eventually, offerAt, openShop, route, type ShopOptions } from './support/shop.ts';

const SIZE = 100_000;

/** The payment with a signature that is not its payer's. */
function badlySigned(payment: PaymentPayload): PaymentPayload {
  const { paymentGroup, paymentIndex } = payment.payload as { paymentGroup: string[]; paymentIndex: number };
  const { txn } = decodeSignedTransaction(Buffer.from(paymentGroup[paymentIndex] ?? '', 'base64'));
  const signed = encodeSignedTransaction({ txn, signature: account(9).sign(transactionSigningBytes(txn)) });
  const group = paymentGroup.with(paymentIndex, Buffer.from(signed).toString('base64'));
  return { ...payment, payload: { paymentGroup: group, paymentIndex } };
}

/** Sells `POST /echo`, which answers how long the body was. */
async function openEcho(options: ShopOptions = {}) {
  const shop = await openShop({
    routes: { 'POST /echo': route },
    handlers: (app, count) =>
      void app.post('/echo', express.raw({ limit: '5mb', type: '*/*' }), (request, response) => {
        count();
        response.send(String(request.body?.length ?? 0));
      }),
    ...options,
  });
  const url = `${shop.url}/echo`;
  const required = await offerAt(url, { method: 'POST' });
  const payment = () => pay(required, { paymentId: `pay_${randomBytes(16).toString('hex')}` });
  return { shop, url, payment };
}

/** Sends a head and part of the body that it promises. */
function upload(url: string, headers: Record<string, string>, sent: number) {
  const { hostname, host, port, pathname } = new URL(url);
  const socket: Socket = connect(Number(port), hostname).setEncoding('latin1');
  afterwards(async () => void socket.destroy());
  let answer = '';
  socket.on('data', (text: string) => (answer += text));
  const lines = Object.entries({ 'Content-Type': 'application/octet-stream', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const head = [`POST ${pathname} HTTP/1.1`, `Host: ${host}`, `Content-Length: ${SIZE}`, ...lines, '', ''];
  socket.write(head.join('\r\n'));
  socket.write(Buffer.alloc(sent));
  return { socket, answer: () => answer, finish: () => socket.write(Buffer.alloc(SIZE - sent)) };
}

it('a body is read only once the signature is known to be the payer’s', async () => {
  const { shop, url, payment } = await openEcho();
  const { answer } = upload(url, withPayment(badlySigned(payment())), 1000);
  await expect.poll(() => statusIn(answer()), { timeout: 2_000 }).toBe(402);
  expect(answer()).toContain('invalid_exact_avm_invalid_signature');
  expect(shop.stub.calls).toEqual([]);
});

it('bodies that are read to tell requests apart are bounded in total; beyond it payments are refused for now', async () => {
  const { url, payment } = await openEcho({ maxHeldBytesInTotal: 3 * SIZE });
  const slow = [1, 2, 3].map(() => upload(url, withPayment(payment()), SIZE - 1));
  const refused = withPayment(payment());
  const ask = async (body: number, headers = refused): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/octet-stream', ...headers },
      body: Buffer.alloc(body),
    });
  await expect
    .poll(async () => {
      const answer = await ask(SIZE);
      return [answer.status, await answer.text()];
    })
    .toEqual([503, expect.stringContaining('too_many_bodies_held')]);
  // Without a body, or an id to come back with, nothing is held.
  expect(await (await ask(0, withPayment(payment()))).text()).toBe('0');
  for (const one of slow) one.finish();
  for (const one of slow) await eventually(() => statusIn(one.answer())).toBe(200);
  for (const { socket } of slow) {
    socket.destroy();
    await once(socket, 'close');
  }
  for (let time = 0; time < 5; time++)
    expect(await (await ask(SIZE, withPayment(payment()))).text()).toBe(String(SIZE));
});
