import { createAlgodClient } from '@avm402/algorand/algod';
import { parseAccount } from '@avm402/algorand/account';
import { type Devnode, startDevnode } from '@avm402/devnode';
import { USDC, usdcOf } from '@avm402/stack/balances';
import { offerOf, paidHeaders, payFor } from '../../payment.ts';
import { sendFrom } from '../../send-from.ts';
import type { Served } from '../../served.ts';
import type { OpenShop } from './shops.ts';

/** An attack on a shop, and its outcome; a row of docs/security.md. */
export interface ServerCase {
  readonly rule: string;
  readonly attempt: string;
  readonly ours: string;
  readonly stock: string;
  readonly run: (open: OpenShop, expected: string) => Promise<string>;
}

const AT_ONCE = 20;

/** Headers that carry a payment for what the shop sells. */
async function pay({ url }: Served, node: Devnode): Promise<Record<string, string>> {
  return paidHeaders(await payFor(offerOf(await fetch(url)), node.accounts.payer, node.url));
}

/** Blocks come when all requests have got as far as they get without one: that many handlers have run. */
async function atOnce(open: OpenShop, expected: string): Promise<string> {
  const node = await startDevnode({ port: 0, network: 'testnet', blocks: 'manual', waitForBlockMs: 100 });
  await using started = new AsyncDisposableStack();
  started.defer(() => node.stop());
  const runsExpected = Number(/(\d+) runs?/.exec(expected)?.[1]);
  let runs = 0;
  const allRan = Promise.withResolvers<void>();
  const shop = await open(node, (_request, response) => {
    if (++runs === runsExpected) allRan.resolve();
    response.json({ weather: 'sunny' });
  });
  started.defer(() => shop.stop());
  const headers = await pay(shop, node);
  const answers = Array.from({ length: AT_ONCE }, async () => (await fetch(shop.url, { headers })).status);
  await allRan.promise;
  const mining = setInterval(() => void node.mine(), 50);
  started.defer(() => clearInterval(mining));
  const statuses = await Promise.all(answers);
  const served = statuses.filter((status) => status === 200).length;
  return `${runs} run${runs === 1 ? '' : 's'} of the handler, ${served} served`;
}

async function again(open: OpenShop): Promise<string> {
  const node = await startDevnode({ port: 0, network: 'testnet' });
  await using started = new AsyncDisposableStack();
  started.defer(() => node.stop());
  const shop = await open(node, (_request, response) => void response.json({ weather: 'sunny' }));
  started.defer(() => shop.stop());
  const headers = await pay(shop, node);
  const first = await fetch(shop.url, { headers });
  const second = await fetch(shop.url, { headers });
  const receipt = second.headers.has('PAYMENT-RESPONSE') ? 'with the receipt' : 'without a receipt';
  return `${first.status}, then ${second.status} ${receipt}`;
}

/** The buyer's money is gone when the handler has run. */
async function unsettled(open: OpenShop): Promise<string> {
  const node = await startDevnode({ port: 0, network: 'testnet' });
  await using started = new AsyncDisposableStack();
  started.defer(() => node.stop());
  const shop = await open(node, async (_request, response) => {
    await spendAll(node);
    response.set('x-forecast', 'sunny').json({ weather: 'sunny' });
  });
  started.defer(() => shop.stop());
  const answer = await fetch(shop.url, { headers: await pay(shop, node) });
  const body = (await answer.text()).includes('sunny') ? 'sent' : 'withheld';
  return `${answer.status}, body ${body}, headers ${answer.headers.has('x-forecast') ? 'sent' : 'withheld'}`;
}

async function spendAll(node: Devnode): Promise<void> {
  const owner = parseAccount(node.accounts.payer.privateKey);
  const algod = createAlgodClient(node);
  const amount = await usdcOf(algod, owner.address);
  const receiver = node.accounts.payer2.address;
  await sendFrom(algod, owner, { type: 'axfer', receiver, assetId: USDC, amount });
}

export const serverCases: readonly ServerCase[] = [
  {
    rule: 'Server-SR1',
    attempt: 'twenty requests with one payment at once',
    ours: '1 run of the handler, 1 served',
    stock: '20 runs of the handler, 1 served',
    run: atOnce,
  },
  {
    rule: 'Server-SR1',
    attempt: 'a payment that was served, once more',
    ours: '200, then 402 with the receipt',
    stock: '200, then 402 without a receipt',
    run: again,
  },
  {
    rule: 'Server-SR2',
    attempt: 'a payment that can’t be settled any more when the handler has run',
    ours: '402, body withheld, headers withheld',
    stock: '402, body withheld, headers sent',
    run: unsettled,
  },
];
