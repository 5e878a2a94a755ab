import algosdk from 'algosdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDevnode, type Devnode, type DevelopmentAccountName } from '@avm402/devnode';

let node: Devnode;
let algod: algosdk.Algodv2;

beforeAll(async () => {
  node = await startDevnode({ port: 0 });
  const { protocol, hostname, port } = new URL(node.url);
  algod = new algosdk.Algodv2(node.token, `${protocol}//${hostname}`, port);
});
afterAll(() => node.stop());

function account(name: DevelopmentAccountName): algosdk.Account {
  return algosdk.mnemonicToSecretKey(node.accounts[name]?.mnemonic ?? '');
}

async function send(transaction: algosdk.Transaction, signer: algosdk.Account) {
  const { txid } = await algod.sendRawTransaction(transaction.signTxn(signer.sk)).do();
  return algosdk.waitForConfirmation(algod, txid, 4);
}

it('algosdk pays, creates an asset, opts in, transfers it and reads it back', async () => {
  const alice = account('payer');
  const bob = account('payer2');
  const suggestedParams = await algod.getTransactionParams().do();

  const before = (await algod.accountInformation(bob.addr).do()).amount;
  await send(
    algosdk.makePaymentTxnWithSuggestedParamsFromObject({
      sender: alice.addr,
      receiver: bob.addr,
      amount: 123_456,
      suggestedParams,
    }),
    alice,
  );
  expect((await algod.accountInformation(bob.addr).do()).amount - before).toBe(123_456n);

  const created = await send(
    algosdk.makeAssetCreateTxnWithSuggestedParamsFromObject({
      sender: alice.addr,
      total: 1_000_000,
      decimals: 2,
      unitName: 'TICKET',
      assetName: 'Ticket',
      defaultFrozen: false,
      suggestedParams,
    }),
    alice,
  );
  const assetIndex = created.assetIndex ?? 0n;
  expect(assetIndex).toBeGreaterThan(0n);

  const transfer = (sender: algosdk.Account, receiver: algosdk.Account, amount: number) =>
    algosdk.makeAssetTransferTxnWithSuggestedParamsFromObject({
      sender: sender.addr,
      receiver: receiver.addr,
      amount,
      assetIndex,
      suggestedParams,
    });
  await send(transfer(bob, bob, 0), bob);
  const confirmed = await send(transfer(alice, bob, 250), alice);
  expect(confirmed.confirmedRound).toBeGreaterThan(created.confirmedRound ?? 0n);

  const holding = await algod.accountAssetInformation(bob.addr, assetIndex).do();
  expect(holding.assetHolding?.amount).toBe(250n);
  const asset = await algod.getAssetByID(assetIndex).do();
  expect(asset.params).toMatchObject({ name: 'Ticket', unitName: 'TICKET', decimals: 2, total: 1_000_000n });
});
