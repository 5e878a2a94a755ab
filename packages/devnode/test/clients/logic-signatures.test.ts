// Logic signatures as the official SDK makes them: accounts of a program alone, and programs that an account delegates to.
import { createHash } from 'node:crypto';
import algosdk from 'algosdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDevnode, type Devnode } from '../../src/start-devnode.ts';

// The SDK takes plain byte arrays only.
const SECRET = Uint8Array.from(Buffer.from('open sesame'));
/** arg_0; sha256; pushbytes <hash of the secret>; == */
const HASH_LOCK = Buffer.concat([
  Buffer.from('062d018020', 'hex'),
  createHash('sha256').update(SECRET).digest(),
  Buffer.from('12', 'hex'),
]);
/** txn Amount; pushint 1000; <= */
const AT_MOST_1000 = Buffer.from('06310881e8070e', 'hex');
const ROUNDS_TO_WAIT = 5;

describe('algosdk', () => {
  let node: Devnode;
  let algod: algosdk.Algodv2;
  let payer: algosdk.Account;
  let merchant: algosdk.Account;

  beforeAll(async () => {
    node = await startDevnode({ port: 0 });
    const { origin, port } = new URL(node.url);
    algod = new algosdk.Algodv2(node.token, origin, port);
    payer = algosdk.mnemonicToSecretKey(node.accounts.payer.mnemonic);
    merchant = algosdk.mnemonicToSecretKey(node.accounts.merchant.mnemonic);
  });
  afterAll(() => node.stop());

  const payment = async (sender: algosdk.Address, amount: bigint): Promise<algosdk.Transaction> =>
    algosdk.makePaymentTxnWithSuggestedParamsFromObject({
      sender,
      receiver: merchant.addr,
      amount,
      suggestedParams: await algod.getTransactionParams().do(),
    });

  const sent = async (transaction: algosdk.Transaction, by: algosdk.LogicSigAccount): Promise<bigint> => {
    const { blob } = algosdk.signLogicSigTransactionObject(transaction, by);
    const { txid } = await algod.sendRawTransaction(blob).do();
    const { confirmedRound } = await algosdk.waitForConfirmation(algod, txid, ROUNDS_TO_WAIT);
    return confirmedRound ?? 0n;
  };

  const balance = async (address: algosdk.Address): Promise<bigint> =>
    (await algod.accountInformation(address).do()).amount;

  test('pays from the account of a program to whoever shows its argument, and to nobody else', async () => {
    const locked = new algosdk.LogicSigAccount(HASH_LOCK);
    await node.fund(locked.address().toString(), 1_000_000n);
    const wrong = new algosdk.LogicSigAccount(HASH_LOCK, [Uint8Array.of(1)]);
    await expect(sent(await payment(locked.address(), 5n), wrong)).rejects.toThrow('rejected by logic');
    await expect(sent(await payment(locked.address(), 6n), locked)).rejects.toThrow('cannot load arg[0] of 0');
    expect(await balance(locked.address())).toBe(1_000_000n);
    const opened = new algosdk.LogicSigAccount(HASH_LOCK, [SECRET]);
    expect(await sent(await payment(locked.address(), 7n), opened)).toBeGreaterThan(0n);
    expect(await balance(locked.address())).toBe(1_000_000n - 7n - 1000n);
  });

  test('pays by a program that the account has signed, within what the program allows', async () => {
    const delegate = new algosdk.LogicSigAccount(AT_MOST_1000);
    delegate.sign(payer.sk);
    const before = await balance(payer.addr);
    await sent(await payment(payer.addr, 1000n), delegate);
    await expect(sent(await payment(payer.addr, 1001n), delegate)).rejects.toThrow('rejected by logic');
    expect(await balance(payer.addr)).toBe(before - 2000n);
  });

  test('pays by a program that enough members of a multisig have signed', async () => {
    const [first, second, third] = [0, 1, 2].map(() => algosdk.generateAccount());
    if (!first || !second || !third) throw new Error('three accounts were made');
    const parameters = { version: 1, threshold: 2, addrs: [first, second, third].map(({ addr }) => addr) };
    const address = algosdk.multisigAddress(parameters);
    await node.fund(address.toString(), 1_000_000n);
    const delegate = new algosdk.LogicSigAccount(AT_MOST_1000);
    delegate.signMultisig(parameters, first.sk);
    await expect(sent(await payment(address, 5n), delegate)).rejects.toThrow('Logic signature verification failed');
    delegate.appendToMultisig(third.sk);
    await sent(await payment(address, 5n), delegate);
    expect(await balance(address)).toBe(1_000_000n - 5n - 1000n);
  });

  test('traces a program in a simulation: what it cost, and its stack step by step', async () => {
    const delegate = new algosdk.LogicSigAccount(AT_MOST_1000);
    delegate.sign(payer.sk);
    const composer = new algosdk.AtomicTransactionComposer();
    composer.addTransaction({
      txn: await payment(payer.addr, 9n),
      signer: algosdk.makeLogicSigAccountTransactionSigner(delegate),
    });
    const execTraceConfig = new algosdk.modelsv2.SimulateTraceConfig({ enable: true, stackChange: true });
    const request = new algosdk.modelsv2.SimulateRequest({ txnGroups: [], execTraceConfig });
    const { simulateResponse } = await composer.simulate(algod, request);
    const [result] = simulateResponse.txnGroups[0]?.txnResults ?? [];
    expect(simulateResponse.txnGroups[0]?.failureMessage).toBeUndefined();
    expect(result?.logicSigBudgetConsumed).toBe(3);
    const steps = result?.execTrace?.logicSigTrace ?? [];
    expect(steps.map(({ pc }) => pc)).toEqual([1, 3, 6]);
    expect(steps.map(({ stackAdditions = [] }) => stackAdditions.map(({ uint }) => uint))).toEqual([
      [9n],
      [1000n],
      [1n],
    ]);
    expect(steps.at(-1)?.stackPopCount).toBe(2);
  });

  test('puts a program and a key into one group, which all or nothing of passes', async () => {
    const locked = new algosdk.LogicSigAccount(HASH_LOCK, [SECRET]);
    const members = [await payment(locked.address(), 11n), await payment(payer.addr, 12n)];
    algosdk.assignGroupID(members);
    const [byProgram, byKey] = members;
    if (!byProgram || !byKey) throw new Error('two members were made');
    const group = [algosdk.signLogicSigTransactionObject(byProgram, locked).blob, byKey.signTxn(payer.sk)];
    const before = await balance(merchant.addr);
    const { txid } = await algod.sendRawTransaction(group).do();
    await algosdk.waitForConfirmation(algod, txid, ROUNDS_TO_WAIT);
    expect(await balance(merchant.addr)).toBe(before + 23n);
  });
});
