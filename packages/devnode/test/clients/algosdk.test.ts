// The official SDK against the node: what it sends, and what it makes of the answers.
import algosdk from 'algosdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDevnode, type Devnode } from '../../src/start-devnode.ts';

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

  const params = (): Promise<algosdk.SuggestedParams> => algod.getTransactionParams().do();

  const submit = async (signed: Uint8Array | Uint8Array[]): Promise<algosdk.modelsv2.PendingTransactionResponse> => {
    const { txid } = await algod.sendRawTransaction(signed).do();
    return algosdk.waitForConfirmation(algod, txid, ROUNDS_TO_WAIT);
  };

  const send = async (
    transaction: algosdk.Transaction,
    key: Uint8Array = payer.sk,
  ): Promise<algosdk.modelsv2.PendingTransactionResponse> => submit(transaction.signTxn(key));

  const newAccount = async (microAlgos: bigint): Promise<algosdk.Account> => {
    const account = algosdk.generateAccount();
    await node.fund(account.addr.toString(), microAlgos);
    return account;
  };

  const balance = async (address: algosdk.Address): Promise<bigint> =>
    (await algod.accountInformation(address).do()).amount;

  const createAsset = async (creator: algosdk.Account, roles: { total?: bigint } = {}): Promise<bigint> => {
    const address = creator.addr;
    const create = algosdk.makeAssetCreateTxnWithSuggestedParamsFromObject({
      sender: address,
      total: roles.total ?? 1_000_000n,
      decimals: 6,
      defaultFrozen: false,
      unitName: 'TEST',
      assetName: 'Test asset',
      manager: address,
      reserve: address,
      freeze: address,
      clawback: address,
      suggestedParams: await params(),
    });
    const { assetIndex } = await send(create, creator.sk);
    expect(assetIndex).toBeTypeOf('bigint');
    return assetIndex ?? 0n;
  };

  const transfer = async (
    from: algosdk.Account,
    to: algosdk.Address,
    options: { assetId: bigint; amount: bigint; close?: algosdk.Address; clawbackFrom?: algosdk.Address },
  ): Promise<algosdk.modelsv2.PendingTransactionResponse> => {
    const transaction = algosdk.makeAssetTransferTxnWithSuggestedParamsFromObject({
      sender: from.addr,
      receiver: to,
      assetIndex: options.assetId,
      amount: options.amount,
      ...(options.close && { closeRemainderTo: options.close }),
      ...(options.clawbackFrom && { assetSender: options.clawbackFrom }),
      suggestedParams: await params(),
    });
    return send(transaction, from.sk);
  };

  const holding = async (
    address: algosdk.Address,
    assetId: bigint,
  ): Promise<algosdk.modelsv2.AssetHolding | undefined> =>
    (await algod.accountAssetInformation(address, assetId).do()).assetHolding;

  test('pays, waits, and reads the payment back in every form', async () => {
    const before = await balance(merchant.addr);
    const payment = algosdk.makePaymentTxnWithSuggestedParamsFromObject({
      sender: payer.addr,
      receiver: merchant.addr,
      amount: 12_345n,
      note: new TextEncoder().encode('<lunch & tea>'),
      suggestedParams: await params(),
    });
    const confirmed = await send(payment);
    expect(await balance(merchant.addr)).toBe(before + 12_345n);
    const round = confirmed.confirmedRound ?? 0n;
    expect(confirmed.txn.txn.txID()).toBe(payment.txID());
    const { block } = await algod.block(round).do();
    expect(block.header.round).toBe(round);
    expect(block.payset).toHaveLength(1);
    expect(await algod.getBlockTxids(round).do()).toMatchObject({ blocktxids: [payment.txID()] });
    expect((await algod.getBlockHash(round).do()).blockhash).toMatch(/^[A-Z2-7]{52}$/);
    expect((await algod.getTransactionProof(round, payment.txID()).do()).idx).toBe(0);
  });

  test('creates an asset, opts in, transfers, freezes, claws back, closes out and destroys it', async () => {
    const creator = await newAccount(5_000_000n);
    const holder = await newAccount(5_000_000n);
    const assetId = await createAsset(creator);
    const { params: read } = await algod.getAssetByID(assetId).do();
    expect(read).toMatchObject({ total: 1_000_000n, decimals: 6, unitName: 'TEST', name: 'Test asset' });

    await expect(transfer(creator, holder.addr, { assetId, amount: 1n })).rejects.toThrow('must optin');
    await transfer(holder, holder.addr, { assetId, amount: 0n });
    await transfer(creator, holder.addr, { assetId, amount: 400n });
    expect(await holding(holder.addr, assetId)).toMatchObject({ amount: 400n, isFrozen: false });

    const freeze = algosdk.makeAssetFreezeTxnWithSuggestedParamsFromObject({
      sender: creator.addr,
      assetIndex: assetId,
      freezeTarget: holder.addr,
      frozen: true,
      suggestedParams: await params(),
    });
    await send(freeze, creator.sk);
    expect(await holding(holder.addr, assetId)).toMatchObject({ isFrozen: true });
    await expect(transfer(holder, creator.addr, { assetId, amount: 1n })).rejects.toThrow('frozen');

    await transfer(creator, creator.addr, { assetId, amount: 150n, clawbackFrom: holder.addr });
    expect(await holding(holder.addr, assetId)).toMatchObject({ amount: 250n });

    await transfer(holder, creator.addr, { assetId, amount: 0n, close: creator.addr });
    await expect(holding(holder.addr, assetId)).rejects.toThrow('404');
    const destroy = algosdk.makeAssetDestroyTxnWithSuggestedParamsFromObject({
      sender: creator.addr,
      assetIndex: assetId,
      suggestedParams: await params(),
    });
    await send(destroy, creator.sk);
    await expect(algod.getAssetByID(assetId).do()).rejects.toThrow('asset does not exist');
  });

  test('keeps an asset total beyond 2^53 exact', async () => {
    const creator = await newAccount(1_000_000n);
    const total = 2n ** 64n - 1n;
    const assetId = await createAsset(creator, { total });
    expect(await algod.getAssetByID(assetId).do()).toMatchObject({ params: { total } });
    expect(await holding(creator.addr, assetId)).toMatchObject({ amount: total });
  });

  test('closes an account', async () => {
    const account = await newAccount(1_000_000n);
    const close = algosdk.makePaymentTxnWithSuggestedParamsFromObject({
      sender: account.addr,
      receiver: merchant.addr,
      amount: 0n,
      closeRemainderTo: merchant.addr,
      suggestedParams: await params(),
    });
    expect(await send(close, account.sk)).toMatchObject({ closingAmount: 999_000n });
    expect(await balance(account.addr)).toBe(0n);
  });

  test('rekeys an account, after which only the new key signs', async () => {
    const account = await newAccount(1_000_000n);
    const signer = algosdk.generateAccount();
    const pay = async (rekeyTo?: algosdk.Address): Promise<algosdk.Transaction> =>
      algosdk.makePaymentTxnWithSuggestedParamsFromObject({
        sender: account.addr,
        receiver: merchant.addr,
        amount: 1n,
        note: crypto.getRandomValues(new Uint8Array(8)),
        ...(rekeyTo && { rekeyTo }),
        suggestedParams: await params(),
      });
    await send(await pay(signer.addr), account.sk);
    expect((await algod.accountInformation(account.addr).do()).authAddr?.toString()).toBe(signer.addr.toString());
    await expect(send(await pay(), account.sk)).rejects.toThrow('should have been authorized by');
    expect((await send(await pay(), signer.sk)).confirmedRound).toBeGreaterThan(0n);
  });

  test('pays from a 2-of-3 multisig account', async () => {
    const keys = Array.from({ length: 3 }, () => algosdk.generateAccount());
    const multisig = { version: 1, threshold: 2, addrs: keys.map(({ addr }) => addr) };
    const address = algosdk.multisigAddress(multisig);
    await node.fund(address.toString(), 1_000_000n);
    const payment = algosdk.makePaymentTxnWithSuggestedParamsFromObject({
      sender: address,
      receiver: merchant.addr,
      amount: 5n,
      suggestedParams: await params(),
    });
    const [first, second] = keys;
    const once = algosdk.signMultisigTransaction(payment, multisig, first?.sk ?? new Uint8Array()).blob;
    await expect(submit(once)).rejects.toThrow('multisig validation failed');
    const twice = algosdk.appendSignMultisigTransaction(once, multisig, second?.sk ?? new Uint8Array()).blob;
    expect((await submit(twice)).confirmedRound).toBeGreaterThan(0n);
  });

  test('sends a group in which one member pays the fee of both, all or nothing', async () => {
    const poor = await newAccount(300_000n);
    const suggestedParams = await params();
    const free = { ...suggestedParams, flatFee: true, fee: 0n };
    const both = { ...suggestedParams, flatFee: true, fee: 2000n };
    const members = (amount: bigint): algosdk.Transaction[] =>
      algosdk.assignGroupID([
        algosdk.makePaymentTxnWithSuggestedParamsFromObject({
          sender: payer.addr,
          receiver: payer.addr,
          amount: 0n,
          note: crypto.getRandomValues(new Uint8Array(8)),
          suggestedParams: both,
        }),
        algosdk.makePaymentTxnWithSuggestedParamsFromObject({
          sender: poor.addr,
          receiver: merchant.addr,
          amount,
          suggestedParams: free,
        }),
      ]);
    const signed = (group: algosdk.Transaction[]): Uint8Array[] =>
      group.map((member, index) => member.signTxn(index === 0 ? payer.sk : poor.sk));
    const before = await balance(payer.addr);
    await expect(submit(signed(members(400_000n)))).rejects.toThrow('overspend');
    expect(await balance(payer.addr)).toBe(before);
    await submit(signed(members(200_000n)));
    expect(await balance(payer.addr)).toBe(before - 2000n);
    expect(await balance(poor.addr)).toBe(100_000n);
  });

  test('simulates without a signature, and nothing changes', async () => {
    const composer = new algosdk.AtomicTransactionComposer();
    const payment = algosdk.makePaymentTxnWithSuggestedParamsFromObject({
      sender: payer.addr,
      receiver: merchant.addr,
      amount: 7n,
      suggestedParams: await params(),
    });
    composer.addTransaction({ txn: payment, signer: algosdk.makeEmptyTransactionSigner() });
    const round = node.latestRound;
    const request = new algosdk.modelsv2.SimulateRequest({ txnGroups: [], allowEmptySignatures: true });
    const { simulateResponse } = await composer.simulate(algod, request);
    expect(simulateResponse.txnGroups[0]?.failureMessage).toBeUndefined();
    expect(simulateResponse.evalOverrides?.allowEmptySignatures).toBe(true);
    expect(node.latestRound).toBe(round);
  });

  test('waits for a round that a later submission makes', async () => {
    const waiting = algod.statusAfterBlock(node.latestRound).do();
    await node.mine();
    expect((await waiting).lastRound).toBe(node.latestRound);
  });

  test('reads status, supply, versions, genesis and health', async () => {
    expect((await algod.status().do()).lastRound).toBe(node.latestRound);
    expect((await algod.supply().do()).currentRound).toBe(node.latestRound);
    expect((await algod.versionsCheck().do()).genesisId).toBe(node.genesisId);
    expect(JSON.parse(await algod.genesis().do())).toMatchObject({ network: 'dockernet', id: 'v1' });
    await algod.healthCheck().do();
    await algod.ready().do();
  });

  test('goes online and offline by key registration', async () => {
    const account = await newAccount(1_000_000n);
    const online = algosdk.makeKeyRegistrationTxnWithSuggestedParamsFromObject({
      sender: account.addr,
      voteKey: new Uint8Array(32).fill(1),
      selectionKey: new Uint8Array(32).fill(2),
      stateProofKey: new Uint8Array(64).fill(3),
      voteFirst: 1n,
      voteLast: 100_000n,
      voteKeyDilution: 300n,
      suggestedParams: await params(),
    });
    await send(online, account.sk);
    expect((await algod.accountInformation(account.addr).do()).status).toBe('Online');
    const offline = algosdk.makeKeyRegistrationTxnWithSuggestedParamsFromObject({
      sender: account.addr,
      suggestedParams: await params(),
    });
    await send(offline, account.sk);
    expect((await algod.accountInformation(account.addr).do()).status).toBe('Offline');
  });

  test('pays in USDC, which the named accounts hold from the start', async () => {
    const usdc = 10_458_941n;
    const before = (await holding(merchant.addr, usdc))?.amount ?? 0n;
    await transfer(payer, merchant.addr, { assetId: usdc, amount: 10_000n });
    expect((await holding(merchant.addr, usdc))?.amount).toBe(before + 10_000n);
  });
});
