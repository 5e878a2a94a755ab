import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { accountOfApplication, createDevControls } from '@avm402/devnode';
import { USDC } from '@avm402/stack/balances';
import { NODE_TOKEN } from '@avm402/stack/programs';
import algosdk from 'algosdk';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { sendFrom } from '../send-from.ts';
import { type Stage, startStage } from './stage.ts';

/** Counts its calls, keeps the caller's word in a box, and calls back with a payment of a microAlgo. */
const GUESTBOOK = `#pragma version 11
txn ApplicationID; bz end
byte "calls"; byte "calls"; app_global_get; int 1; +; app_global_put
txn Sender; box_del; pop
txn Sender; txn ApplicationArgs 0; box_put
byte "welcome"; log
itxn_begin; int pay; itxn_field TypeEnum; txn Sender; itxn_field Receiver; int 1; itxn_field Amount; int 0; itxn_field Fee
itxn_submit
end: int 1`;

let stage: Stage;
let algod: algosdk.Algodv2;
let application: bigint;
let call: string;
beforeAll(async () => {
  stage = await startStage();
  algod = new algosdk.Algodv2(NODE_TOKEN, stage.stack.node.url, new URL(stage.stack.node.url).port);
  ({ application, call } = await calledGuestbook());
}, 120_000);
afterAll(() => stage?.[Symbol.asyncDispose]());
afterEach(() => expect(stage.complaints).toEqual([]));

async function compiled(source: string): Promise<Uint8Array> {
  return algosdk.base64ToBytes((await algod.compile(source).do()).result);
}

async function calledGuestbook() {
  const sender = stage.stack.accounts.payer3.address;
  const { sk } = algosdk.mnemonicToSecretKey(stage.stack.accounts.payer3.mnemonic);
  const send = async (transaction: algosdk.Transaction) => {
    const { txid } = await algod.sendRawTransaction(transaction.signTxn(sk)).do();
    const { applicationIndex = 0n } = await algosdk.waitForConfirmation(algod, txid, 4);
    return { txid, applicationIndex };
  };
  const suggestedParams = await algod.getTransactionParams().do();
  const { applicationIndex } = await send(
    algosdk.makeApplicationCreateTxnFromObject({
      sender,
      suggestedParams,
      onComplete: algosdk.OnApplicationComplete.NoOpOC,
      approvalProgram: await compiled(GUESTBOOK),
      clearProgram: await compiled('#pragma version 11\nint 1'),
      numGlobalInts: 1,
      numGlobalByteSlices: 0,
      numLocalInts: 0,
      numLocalByteSlices: 0,
    }),
  );
  const account = accountOfApplication(applicationIndex);
  const funds = { sender, receiver: account, amount: 1_000_000n, suggestedParams };
  await send(algosdk.makePaymentTxnWithSuggestedParamsFromObject(funds));
  const { txid } = await send(
    algosdk.makeApplicationNoOpTxnFromObject({
      sender,
      appIndex: applicationIndex,
      appArgs: [new TextEncoder().encode('I was here')],
      boxes: [{ appIndex: applicationIndex, name: algosdk.decodeAddress(sender).publicKey }],
      suggestedParams: { ...suggestedParams, flatFee: true, fee: 2000n },
    }),
  );
  return { application: applicationIndex, call: txid };
}

it('an application’s state and boxes are shown, and they change with the chain', async () => {
  const { page } = stage;
  await stage.open(`applications/${application}`);
  const state = page.getByRole('region', { name: 'Global state' }).locator('tbody tr');
  await state.filter({ hasText: /“calls”\s*1/ }).waitFor();
  await page.getByRole('region', { name: 'Boxes' }).getByText('“I was here”').waitFor();
  await page.getByTitle(accountOfApplication(application)).waitFor();
  expect(await stage.seriousIssues()).toEqual([]);
});

it('a call is shown with its logs, what it wrote, its inner transactions and each step', async () => {
  const { page } = stage;
  await stage.open(`transactions/${call}`);
  await page.getByText('“welcome”').waitFor();
  await page.getByRole('region', { name: 'State written' }).getByText('“calls”').waitFor();
  await page.locator('.inner').getByText('0.000001 ALGO').waitFor();
  await page
    .getByText(new RegExp(`The approval program of application ${application} in member 1: \\d+ instructions`))
    .waitFor();
  const steps = page.getByRole('region', { name: 'Steps of the program' }).locator('tbody tr');
  await steps.filter({ hasText: 'itxn_submit' }).waitFor();
  expect(await stage.seriousIssues()).toEqual([]);
  await page
    .getByRole('link', { name: `application ${application}` })
    .first()
    .click();
  await page.getByRole('heading', { name: `Application ${application}` }).waitFor();
  await page.getByRole('region', { name: 'Boxes' }).waitFor();
});

it('a new block is shown when it is made, without being asked', async () => {
  await stage.open('chain');
  await stage.page.locator('table').first().getByRole('link').first().waitFor();
  const round = await createDevControls({ url: stage.stack.node.url }).mine();
  await stage.page.getByRole('link', { name: String(round), exact: true }).waitFor();
});

it('a block that is made is asked for once, and those that come later are shown in short', async () => {
  const { page, stack } = stage;
  const node = createDevControls({ url: stack.node.url });
  await stage.open('blocks/1');
  await page.getByRole('heading', { name: 'Transactions' }).waitFor();
  const round = await node.mine();
  await page.getByText(`live, round ${round}`).waitFor();
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
  await page.getByText(`live, round ${await node.mine()}`).waitFor();
  expect(asked.filter((path) => path.startsWith('/api/node/blocks/'))).toEqual([]);
  await node.pause();
  const { payer4, payer5 } = stack.accounts;
  const algodClient = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
  for (const { address: receiver, privateKey } of [payer4, payer5])
    await sendFrom(algodClient, parseAccount(privateKey), { type: 'pay', receiver, amount: 0n });
  await node.mine();
  await node.resume();
  await stage.open('chain');
  await page.getByRole('cell', { name: 'pay × 2', exact: true }).waitFor();
});

it('a block that was not given is asked for once more when the chain changes', async () => {
  const { page } = stage;
  const node = createDevControls({ url: stage.stack.node.url });
  await stage.open('blocks/1');
  const round = String(await node.mine());
  const path = `**/api/node/blocks/${round}`;
  await page.route(path, (route) => route.fulfill({ status: 502, json: {} }));
  const failed = page.waitForResponse((response) => response.status() === 502);
  await stage.open('chain');
  await failed;
  await page.unroute(path);
  await node.mine();
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: round, exact: true }) });
  await row.getByText('none').waitFor({ timeout: 5_000 });
});

it('of a block of many transactions the first thousand are shown, and how many there are', async () => {
  const { page } = stage;
  const [fake, merchant] = ['**/api/node/blocks/7', stage.stack.accounts.merchant.address];
  const txns = Array.from({ length: 20_000 }, () => ({ txn: { type: 'pay', snd: merchant } }));
  await page.route(fake, (route) => route.fulfill({ json: { block: { txns } } }));
  await stage.open('blocks/7');
  await page.getByText('These are the first 1000 of 20000.').waitFor({ timeout: 5_000 });
  expect(await page.locator('.card').count()).toBe(1000);
  await page.unroute(fake);
});

it('accounts have names, and what one holds is shown in units that people read', async () => {
  await stage.open('chain');
  await stage.page.getByRole('link', { name: 'payer', exact: true }).click();
  await stage.page.getByRole('listitem').filter({ hasText: '$1,000,000 USDC' }).waitFor();
});

it('an asset that the node does not know gets no name and decimals of the one that stood in its place', async () => {
  const { page } = stage;
  const payTo = stage.stack.accounts.merchant.address;
  let asset = String(USDC);
  await page.route('**/discovery/resources', (route) => {
    const accepts = [{ scheme: 'exact', asset, amount: '10000', payTo }];
    return route.fulfill({ json: { items: [{ resource: 'https://shop.example/', accepts }] } });
  });
  await stage.open('catalogue');
  await page.getByText('$0.01 USDC').waitFor();
  asset = '5';
  await createDevControls({ url: stage.stack.node.url }).mine();
  await page.getByText('10,000 asset 5').waitFor({ timeout: 5_000 });
  await page.unroute('**/discovery/resources');
});

it('an asset has the decimals of the chain that is shown, after a jump to another one, too', async () => {
  const { page } = stage;
  const node = createDevControls({ url: stage.stack.node.url });
  const snapshot = await node.snapshot();
  const creator = stage.stack.accounts.usdcIssuer.address;
  let decimals = 2;
  await page.route(`**/api/node/assets/${USDC}`, (route) =>
    route.fulfill({ json: { params: { decimals, 'unit-name': 'X', total: 1, creator } } }),
  );
  await stage.open('chain');
  await page.reload();
  await page.getByText('10,000,000,000 X').first().waitFor();
  decimals = 0;
  await node.revert(snapshot);
  await page.getByText('1,000,000,000,000 X').first().waitFor();
  await stage.open(`assets/${USDC}`);
  await page.getByText(/^Decimals\s*0$/).waitFor();
  decimals = 3;
  await node.mine();
  await page.getByText(/^Decimals\s*3$/).waitFor({ timeout: 5_000 });
  await page.unroute(`**/api/node/assets/${USDC}`);
  await page.reload();
});

it('a clawback is shown as taken from whoever loses the asset, and by whom', async () => {
  const { usdcIssuer, payer7 } = stage.stack.accounts;
  const client = createAlgodClient({ url: stage.stack.node.url, token: NODE_TOKEN });
  const taken = { assetId: USDC, amount: 1_000_000n, assetSender: payer7.address, receiver: usdcIssuer.address };
  const txId = await sendFrom(client, parseAccount(usdcIssuer.privateKey), { type: 'axfer', ...taken });
  await stage.open(`transactions/${txId}`);
  await stage.page
    .locator('.member')
    .filter({ hasText: /axfer\s*payer7\s*→\s*usdcIssuer.*taken back by\s*usdcIssuer/s })
    .waitFor({ timeout: 5_000 });
});

it('what the node says about an invalid address is shown', async () => {
  await stage.open('accounts/NOBODY');
  await stage.page.getByRole('alert').waitFor();
});
