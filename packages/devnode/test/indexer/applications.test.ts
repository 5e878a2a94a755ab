import algosdk from 'algosdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assemble } from '@avm402/teal/assemble';
import { startIndexedNode, type IndexedNode } from './chain-of-payments.ts';

const CLEAR = assemble('#pragma version 10\nint 1').program;

/** Logs, counts, keeps a box and pays its caller by an inner payment, unless it is only created or opted in to. */
const COUNTER = assemble(`#pragma version 10
txn ApplicationID
bz end
txn OnCompletion
int OptIn
==
bz work
txn Sender
byte "member"
int 1
app_local_put
b end
work:
byte "called"
log
byte "count"
byte "count"
app_global_get
int 1
+
app_global_put
byte "box"
txn ApplicationArgs 0
box_put
itxn_begin
int pay
itxn_field TypeEnum
txn Sender
itxn_field Receiver
int 7
itxn_field Amount
int 0
itxn_field Fee
itxn_submit
end:
int 1`).program;

describe('the indexer of a chain with an application', () => {
  let chain: IndexedNode;
  let id: bigint;
  let account: string;
  let called: string;

  beforeAll(async () => {
    chain = await startIndexedNode();
    const { payer, algod } = chain;
    const suggestedParams = await chain.params();
    const created = await chain.send(
      algosdk.makeApplicationCreateTxnFromObject({
        sender: payer.addr,
        suggestedParams,
        onComplete: algosdk.OnApplicationComplete.NoOpOC,
        approvalProgram: COUNTER,
        clearProgram: CLEAR,
        numGlobalInts: 1,
        numGlobalByteSlices: 0,
        numLocalInts: 1,
        numLocalByteSlices: 0,
      }),
      payer,
    );
    id = (await algod.pendingTransactionInformation(created).do()).applicationIndex ?? 0n;
    account = algosdk.getApplicationAddress(id).toString();
    const fund = { sender: payer.addr, receiver: account, amount: 1_000_000n, suggestedParams };
    await chain.send(algosdk.makePaymentTxnWithSuggestedParamsFromObject(fund), payer);
    await chain.send(
      algosdk.makeApplicationOptInTxnFromObject({ sender: payer.addr, appIndex: id, suggestedParams }),
      payer,
    );
    called = await chain.send(
      algosdk.makeApplicationNoOpTxnFromObject({
        sender: payer.addr,
        appIndex: id,
        appArgs: [Uint8Array.of(1, 2, 3)],
        boxes: [{ appIndex: 0, name: Buffer.from('box') }],
        suggestedParams: { ...suggestedParams, flatFee: true, fee: 2000n },
      }),
      payer,
    );
  });
  afterAll(() => chain.node.stop());

  test('finds it by its id, its creator and in its creator’s account', async () => {
    const { application } = await chain.indexer.lookupApplications(id).do();
    expect(application).toMatchObject({ id, createdAtRound: 1n, deleted: false });
    expect(application?.params.globalState).toHaveLength(1);
    const searched = await chain.indexer.searchForApplications().creator(chain.payer.addr.toString()).do();
    expect(searched.applications.map((each) => each.id)).toEqual([id]);
    const made = await chain.indexer.lookupAccountCreatedApplications(chain.payer.addr.toString()).do();
    expect(made.applications.map((each) => each.id)).toEqual([id]);
    await expect(chain.indexer.lookupApplications(id + 1n).do()).rejects.toMatchObject({ status: 404 });
  });

  test('finds who has opted in, and with which state', async () => {
    const { appsLocalStates } = await chain.indexer.lookupAccountAppLocalStates(chain.payer.addr.toString()).do();
    expect(appsLocalStates).toMatchObject([{ id, optedInAtRound: 3n, deleted: false }]);
    expect(appsLocalStates[0]?.keyValue).toHaveLength(1);
    const { accounts } = await chain.indexer.searchAccounts().applicationID(id).do();
    expect(accounts.map(({ address }) => address)).toEqual([chain.payer.addr.toString()]);
  });

  test('reads its boxes and its logs', async () => {
    const { boxes } = await chain.indexer.searchForApplicationBoxes(id).do();
    expect(boxes.map(({ name }) => Buffer.from(name).toString())).toEqual(['box']);
    const box = await chain.indexer.lookupApplicationBoxByIDandName(id, Buffer.from('box')).do();
    expect(box.value).toEqual(Uint8Array.of(1, 2, 3));
    const { logData } = await chain.indexer.lookupApplicationLogs(id).do();
    expect(logData).toMatchObject([{ txid: called, logs: [new TextEncoder().encode('called')] }]);
  });

  test('finds a call by the application and by what happened within it, with all its effects', async () => {
    const { transactions } = await chain.indexer.searchForTransactions().applicationID(id).do();
    expect(transactions).toHaveLength(3);
    expect(transactions[0]).toMatchObject({ createdApplicationIndex: id });
    const [inner] = (await chain.indexer.lookupAccountTransactions(account).do()).transactions;
    expect(inner).toMatchObject({
      id: called,
      applicationTransaction: { applicationId: id, onCompletion: 'noop' },
      logs: [new TextEncoder().encode('called')],
      innerTxns: [{ sender: account, paymentTransaction: { amount: 7n } }],
    });
    expect(inner?.globalStateDelta).toHaveLength(1);
    const payments = await chain.indexer.searchForTransactions().txType('pay').address(account).do();
    expect(payments.transactions.map((each) => each.id)).toEqual([called, expect.any(String)]);
  });

  test('counts what programs submitted in the places of the transactions behind it, in a page and in the block', async () => {
    const call = async (argument: Uint8Array): Promise<string> =>
      chain.send(
        algosdk.makeApplicationNoOpTxnFromObject({
          sender: chain.payer.addr,
          appIndex: id,
          appArgs: [argument],
          boxes: [{ appIndex: 0, name: Buffer.from('box') }],
          suggestedParams: { ...(await chain.params()), flatFee: true, fee: 2000n },
        }),
        chain.payer,
      );
    await chain.node.pause();
    await call(Uint8Array.of(4, 5, 6));
    await chain.pay(1n);
    await call(Uint8Array.of(7, 8, 9));
    await chain.pay(2n);
    const round = Number(await chain.node.mine());
    await chain.node.resume();
    const page = await chain.indexer.searchForTransactions().round(round).do();
    const block = await chain.indexer.lookupBlock(round).do();
    for (const { transactions = [] } of [page, block]) {
      expect(transactions.map(({ intraRoundOffset }) => intraRoundOffset)).toEqual([0, 2, 3, 5]);
    }
  });
});
