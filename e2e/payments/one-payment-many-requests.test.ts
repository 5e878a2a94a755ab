import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAlgodClient, type AlgodClient } from '@avm402/algorand/algod';
import { parseAccount } from '@avm402/algorand/account';
import { decodeSignedTransaction, encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { transactionSigningBytes } from '@avm402/algorand/transaction';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { DevelopmentAccount, DevelopmentAccountName } from '@avm402/devnode';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { usdcOf } from '@avm402/stack/balances';
import { offerOf, paidHeaders, payFor, receiptOf, withPaymentElement } from '../payment.ts';

let stack: Stack;
let algod: AlgodClient;
let url: string;

beforeAll(async () => {
  stack = await startStack();
  algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
  url = `${stack.weather.url}/weather`;
});
afterAll(() => stack.stop());

function account(name: DevelopmentAccountName): DevelopmentAccount {
  return stack.accounts[name];
}

function merchantUsdc(): Promise<bigint> {
  return usdcOf(algod, account('merchant').address);
}

async function signPayment(payer: DevelopmentAccountName): Promise<PaymentPayload> {
  return payFor(offerOf(await fetch(url)), account(payer), stack.node.url);
}

describe('one payment', () => {
  it('carried by 100 concurrent requests yields one 200, one debit and ninety-nine refusals', async () => {
    const before = await merchantUsdc();
    const headers = paidHeaders(await signPayment('payer'));
    const answers = await Promise.all(Array.from({ length: 100 }, () => fetch(url, { headers })));
    const served = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 402);
    expect({ served: served.length, refused: refused.length }).toEqual({ served: 1, refused: 99 });
    expect(refused.map((answer) => offerOf(answer).error)).toEqual(
      Array.from({ length: 99 }, () => 'duplicate_payment'),
    );
    expect(new Set(refused.map((answer) => receiptOf(answer)?.transaction))).toEqual(
      new Set([served[0] && receiptOf(served[0])?.transaction]),
    );
    expect((await merchantUsdc()) - before).toBe(10_000n);
  });

  it('is served although 100 forged copies of it arrive first', async () => {
    const genuine = await signPayment('payer2');
    const thief = parseAccount(account('payer3').privateKey);
    const corrupted = withPaymentElement(genuine, (element) => {
      const signed = decodeSignedTransaction(element);
      const signature = Uint8Array.from(signed.signature ?? [], (byte, index) => (index === 7 ? byte ^ 1 : byte));
      return encodeSignedTransaction({ ...signed, signature });
    });
    const foreign = withPaymentElement(genuine, (element) => {
      const { txn } = decodeSignedTransaction(element);
      const signature = thief.sign(transactionSigningBytes(txn));
      return encodeSignedTransaction({ txn, signature, authAddress: thief.address });
    });
    const forged = [corrupted, foreign].flatMap((copy) =>
      Array.from({ length: 50 }, () => fetch(url, { headers: paidHeaders(copy) })),
    );
    const [answer, ...others] = await Promise.all([fetch(url, { headers: paidHeaders(genuine) }), ...forged]);
    expect(answer.status).toBe(200);
    expect(others.filter(({ status }) => status === 200)).toEqual([]);
  });
});

describe('one payer', () => {
  it('makes 50 concurrent payments: fifty 200s with fifty transaction ids', async () => {
    const payments = await Promise.all(Array.from({ length: 50 }, () => signPayment('payer4')));
    const answers = await Promise.all(payments.map((payment) => fetch(url, { headers: paidHeaders(payment) })));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
    expect(new Set(answers.map((answer) => receiptOf(answer)?.transaction)).size).toBe(50);
  });
});
