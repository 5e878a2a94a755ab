import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient, type AlgodClient } from '@avm402/algorand/algod';
import { createPayingFetch, settlementOf } from '@avm402/client';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { usdcOf } from '@avm402/stack/balances';
import { startFaultProxy, type Fault, type FaultProxy } from '@avm402/testkit/fault-proxy';

let stack: Stack;
let algod: AlgodClient;
let proxy: FaultProxy;
/** The fate of the next requests that carry a payment. */
const faults: (Fault | undefined)[] = [];

beforeAll(async () => {
  stack = await startStack();
  algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
  const isPaid = ({ headers }: IncomingMessage): boolean => headers['payment-signature'] !== undefined;
  proxy = await startFaultProxy({
    targets: () => [stack.weather.url],
    fault: (request) => (isPaid(request) ? faults.shift() : undefined),
  });
});
afterAll(async () => {
  await proxy.stop();
  await stack.stop();
});

it.each<[string, (Fault | undefined)[]]>([
  ['the request with the payment is lost', ['drop-request']],
  ['the answer to the payment is lost', ['drop-answer']],
  ['the answer is lost three times', ['drop-answer', 'drop-answer', 'bad-gateway']],
  ['a proxy answers 502 for it', ['bad-gateway']],
  ['a proxy is not ready', ['refuse']],
])('our client gets from our server what it paid for, once, when %s', async (_what, next) => {
  faults.push(...next);
  const payer = stack.accounts.payer5;
  const holding = (): Promise<bigint> => usdcOf(algod, payer.address);
  const before = await holding();
  const fetchPaid = createPayingFetch({
    account: parseAccount(payer.mnemonic),
    networks: { 'algorand:*': algod },
  });
  const response = await fetchPaid(`${proxy.url}/weather`);
  expect(await response.json()).toMatchObject({ report: { weather: expect.any(String) } });
  expect(settlementOf(response)).toMatchObject({ success: true, payer: payer.address });
  expect(before - (await holding())).toBe(10_000n);
  expect(faults).toEqual([]);
});

it('the next identical request gets what was paid for when the answer broke off', async () => {
  const payer = stack.accounts.payer6;
  const holding = (): Promise<bigint> => usdcOf(algod, payer.address);
  const before = await holding();
  const fetchPaid = createPayingFetch({
    account: parseAccount(payer.mnemonic),
    networks: { 'algorand:*': algod },
  });
  faults.push('cut-answer');
  const cut = await fetchPaid(`${proxy.url}/weather`);
  await expect(cut.json()).rejects.toThrow(TypeError);
  expect(await (await fetchPaid(`${proxy.url}/weather`)).json()).toMatchObject({ report: expect.any(Object) });
  expect(before - (await holding())).toBe(10_000n);
});
