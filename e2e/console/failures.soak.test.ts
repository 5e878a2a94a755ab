import { createAccount, type NewAccount } from '@avm402/algorand/account';
import { decodeSignedTransaction, encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { createPayingFetch } from '@avm402/client';
import { decodePaymentSignatureHeader, encodePaymentSignatureHeader } from '@avm402/core/headers';
import { errorCatalogue, type X402ErrorCode } from '@avm402/core/errors';
import { createDevControls, type DevControls } from '@avm402/devnode';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { USDC } from '@avm402/stack/balances';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { avm402 } from '../programs/avm402.ts';
import { type Stage, startStage } from './stage.ts';

/** More rounds than a payment is valid for. */
const LONG = 1100;

let stage: Stage;
let node: DevControls;
let payer: NewAccount;

beforeAll(async () => {
  stage = await startStage();
  node = createDevControls({ url: stage.stack.node.url });
}, 120_000);
afterAll(() => stage?.[Symbol.asyncDispose]());
afterEach(() => expect(stage.complaints).toEqual([]));

/** Pays the weather; what is presented first may be changed, or come late. */
async function pay(present: (headers: Headers) => Promise<void> = async () => undefined): Promise<void> {
  let isFirst = true;
  const fetchPaid = createPayingFetch({
    account: payer,
    networks: { 'algorand:*': { url: stage.stack.node.url, token: NODE_TOKEN } },
    fetch: async (input, init) => {
      const headers = new Headers(init?.headers);
      if (isFirst && headers.has('PAYMENT-SIGNATURE')) {
        isFirst = false;
        await present(headers);
      }
      return fetch(input, { ...init, headers });
    },
  });
  await fetchPaid(`${stage.stack.weather.url}/weather`).catch(() => undefined);
}

async function signedByAnother(headers: Headers): Promise<void> {
  const sent = decodePaymentSignatureHeader(headers.get('PAYMENT-SIGNATURE') ?? '');
  const [fee, payment] = sent.payload['paymentGroup'] as [string, string];
  const { txn, signature: _ } = decodeSignedTransaction(Uint8Array.from(Buffer.from(payment, 'base64')));
  const forged = encodeSignedTransaction({ txn, signature: new Uint8Array(64).fill(1) });
  const paymentGroup = [fee, Buffer.from(forged).toString('base64')];
  headers.set(
    'PAYMENT-SIGNATURE',
    encodePaymentSignatureHeader({ ...sent, payload: { ...sent.payload, paymentGroup } }),
  );
}

const FAILURES: readonly (readonly [
  what: string,
  code: X402ErrorCode,
  holds: bigint | undefined,
  fail: () => Promise<void>,
])[] = [
  ['too little is held', 'invalid_exact_avm_insufficient_balance', 9_999n, () => pay()],
  ['the payer has not opted in', 'invalid_exact_avm_payer_not_opted_in', undefined, () => pay()],
  ['the signature is another’s', 'invalid_exact_avm_invalid_signature', 20_000n, () => pay(signedByAnother)],
  [
    'the payment has expired',
    'invalid_exact_avm_expired',
    10_000n,
    () =>
      pay(async () => {
        const round = await node.mine(LONG);
        // The console knows the ledger of now.
        await stage.page.getByText(`live, round ${round}`).waitFor();
      }),
  ],
];

describe('a payment that fails', () => {
  it.each(FAILURES)(
    'because %s shows the code, the remedy and its group, and ends the same way in a replay',
    async (_what, code, holds, fail) => {
      payer = createAccount();
      await node.fund(payer.address, 1_000_000n);
      if (holds !== undefined) await node.deal(payer.address, USDC, holds);
      const { page, open } = stage;
      await open('payments');
      await fail();
      await page.getByRole('listitem').filter({ hasText: code }).first().getByRole('link').first().click();
      const remedy = page.getByRole('alert').filter({ hasText: errorCatalogue[code].remedy });
      await remedy.filter({ hasText: code }).waitFor();
      await page.getByRole('heading', { name: 'Its group, as it was sent' }).waitFor();
      const replayed = await avm402(['replay', await stage.exportPayment()]);
      expect(replayed.stdout).toContain(code);
      expect(replayed.code).toBe(0);
    },
  );
});

describe('a payment that waits', () => {
  it('while no block is made is seen in the pool, and settled once one is', async () => {
    const { page, open, stack } = stage;
    await open('controls');
    await page.getByRole('button', { name: 'Pause blocks' }).click();
    await page.getByText('paused: what is submitted waits').waitFor();
    await open('payments');
    await page.getByRole('button', { name: 'Pay for /weather' }).click();
    await page.getByRole('button', { name: 'Paying …' }).waitFor();
    const inPool = async () => (await createDevControls({ url: stack.node.url }).state()).poolTransactions;
    await expect.poll(inPool).toBe(2);
    await node.resume();
    await page.getByRole('heading', { name: 'GET /weather' }).waitFor();
    await page.getByText('facilitator pays 2,000 µAlgo for 2 transactions').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
