import { afterEach, describe, expect, it } from 'vitest';
import { createAlgodClient } from '@avm402/algorand/algod';
import { encodeMsgpack, type MsgpackKey, type MsgpackValue } from '@avm402/algorand/msgpack';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import { startStack, type Stack, type StackOptions } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { offerOf, paidHeaders, payFor, receiptOf } from '../payment.ts';

type Fields = ReadonlyMap<MsgpackKey, MsgpackValue>;

function member(fields: unknown, name: string): MsgpackValue {
  const value = fields instanceof Map ? (fields as Fields).get(name) : undefined;
  if (value === undefined) throw new Error(`the block has no ${name}`);
  return value;
}

const running: Stack[] = [];
afterEach(async () => {
  for (const stack of running.splice(0)) await stack.stop();
});

async function start(options?: StackOptions): Promise<Stack> {
  const stack = await startStack(options);
  running.push(stack);
  return stack;
}

function payer(stack: Stack) {
  return stack.accounts.payer;
}

/** Rebuilds a payment from what anybody can read in the block that confirmed it. */
async function rebuiltFromBlock(stack: Stack, original: PaymentPayload, round: bigint): Promise<PaymentPayload> {
  const algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
  const { genesisId, genesisHash } = await algod.params();
  const block = member(await algod.block(round), 'block');
  const entries = member(block, 'txns') as readonly Fields[];
  const paymentGroup = entries.map((entry) => {
    const txn = new Map(member(entry, 'txn') as Fields).set('gen', genesisId).set('gh', genesisHash);
    const signed = new Map(entry).set('txn', txn);
    for (const added of ['hgi', 'hgh']) signed.delete(added);
    // The facilitator's own element travels unsigned; everything else is public.
    return Buffer.from(encodeMsgpack(txn.get('type') === 'pay' ? txn : signed)).toString('base64');
  });
  const { paymentIndex } = original.payload as { paymentIndex: number };
  return { ...original, payload: { paymentGroup, paymentIndex } };
}

/** Facilitator and weather of another seller on the same node: fresh stores. */
async function freshSeller(stack: Stack): Promise<Stack> {
  return start({ nodeUrl: stack.node.url });
}

describe('a transaction found on chain', () => {
  it('rebuilt from its block and shown to a fresh server and facilitator is no payment', async () => {
    const stack = await start();
    const url = `${stack.weather.url}/weather`;
    const payment = await payFor(offerOf(await fetch(url)), payer(stack), stack.node.url);
    const paid = await fetch(url, { headers: paidHeaders(payment) });
    expect(paid.status).toBe(200);
    const algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
    const { confirmedRound } = (await algod.pendingTransaction(receiptOf(paid)?.transaction ?? '')) ?? {};
    const rebuilt = await rebuiltFromBlock(stack, payment, confirmedRound ?? 0n);
    expect(rebuilt.payload).toEqual(payment.payload);

    const fresh = await freshSeller(stack);
    const answer = await fetch(`${fresh.weather.url}/weather`, { headers: paidHeaders(rebuilt) });
    expect(answer.status).toBe(402);
    expect(offerOf(answer).error).toBe('payment_already_on_chain');
  });

  it('still in the pool, put there by somebody else, is no payment either', async () => {
    const stack = await start({ nodeArguments: ['--manual'], facilitatorEnvironment: { AVM_PRIVATE_KEY: '' } });
    const url = `${stack.weather.url}/weather`;
    const offer = offerOf(await fetch(url));
    expect(offer.accepts[0]?.extra['feePayer']).toBeUndefined();
    const payment = await payFor(offer, payer(stack), stack.node.url);
    const { paymentGroup } = payment.payload as { paymentGroup: string[] };
    const algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
    const stolen = Buffer.concat(paymentGroup.map((element) => Buffer.from(element, 'base64')));
    await algod.sendRawTransaction(stolen);

    const answer = await fetch(url, { headers: paidHeaders(payment) });
    expect(answer.status).toBe(402);
    expect(offerOf(answer).error).toBe('payment_already_on_chain');
  });
});
