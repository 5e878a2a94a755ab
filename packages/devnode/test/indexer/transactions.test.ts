// The indexer's transactions as the official SDK searches them.
import algosdk from 'algosdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startIndexedNode, type IndexedNode } from './chain-of-payments.ts';

const USDC = 10_458_941n;
const START = Date.UTC(2030, 0, 1);

describe('an indexer', () => {
  let chain: IndexedNode;
  let wall = START;
  let other: algosdk.Account;
  const paid: string[] = [];
  const ids = ({ transactions }: algosdk.indexerModels.TransactionsResponse): (string | undefined)[] =>
    transactions.map(({ id }) => id);

  beforeAll(async () => {
    chain = await startIndexedNode({ now: () => wall });
    other = algosdk.generateAccount();
    for (const amount of [100_000n, 200_000n, 300_000n]) {
      paid.push(await chain.pay(amount, { note: `paid ${amount}` }));
      wall += 10_000;
    }
  });
  afterAll(() => chain.node.stop());

  const transfer = async (from: algosdk.Account, to: algosdk.Address, amount: bigint): Promise<string> =>
    chain.send(
      algosdk.makeAssetTransferTxnWithSuggestedParamsFromObject({
        sender: from.addr,
        receiver: to,
        amount,
        assetIndex: USDC,
        suggestedParams: await chain.params(),
      }),
      from,
    );

  test('is never behind the node', async () => {
    const { round, message, version } = await chain.indexer.makeHealthCheck().do();
    expect(round).toBe(chain.node.latestRound);
    expect(message).toBe(String(round));
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
  });

  test('finds a transaction by its id, with its block and what signed it', async () => {
    const { transaction, currentRound } = await chain.indexer.lookupTransactionByID(paid[1] ?? '').do();
    expect(currentRound).toBe(chain.node.latestRound);
    expect(transaction).toMatchObject({
      id: paid[1],
      confirmedRound: 2n,
      intraRoundOffset: 0,
      roundTime: START / 1000 + 10,
      fee: 1000n,
      sender: chain.node.accounts.payer.address,
      txType: 'pay',
      genesisId: 'dockernet-v1',
      paymentTransaction: { amount: 200_000n, receiver: chain.node.accounts.merchant.address, closeAmount: 0n },
    });
    expect(Buffer.from(transaction.note ?? []).toString()).toBe('paid 200000');
    const { txn } = await chain.algod.pendingTransactionInformation(paid[1] ?? '').do();
    expect(transaction.signature?.sig).toEqual(txn.sig);
    expect(Buffer.from(transaction.genesisHash ?? []).toString('base64')).toBe(chain.node.genesisHash);
  });

  test('answers 404 for a transaction that is not there', async () => {
    const looked = chain.indexer.lookupTransactionByID('A'.repeat(52)).do();
    await expect(looked).rejects.toMatchObject({ status: 404 });
    await expect(chain.indexer.lookupTransactionByID('nonsense').do()).rejects.toMatchObject({ status: 400 });
  });

  test('lists all transactions oldest first, those of an account newest first', async () => {
    expect(ids(await chain.indexer.searchForTransactions().maxRound(3).do())).toEqual(paid);
    const { address } = chain.node.accounts.merchant;
    const newestFirst = paid.toReversed();
    expect(ids(await chain.indexer.searchForTransactions().address(address).maxRound(3).do())).toEqual(newestFirst);
    expect(ids(await chain.indexer.lookupAccountTransactions(address).maxRound(3).do())).toEqual(newestFirst);
  });

  test.each(['oldest', 'newest'])('pages through transactions, %s first, each once', async (first) => {
    const found: (string | undefined)[] = [];
    let next: string | undefined;
    do {
      let search = chain.indexer.searchForTransactions().limit(2).maxRound(3);
      if (first === 'newest') search = search.address(chain.node.accounts.payer.address);
      const page = await (next === undefined ? search : search.nextToken(next)).do();
      expect(page.transactions.length).toBeLessThanOrEqual(2);
      found.push(...ids(page));
      next = page.nextToken;
    } while (next !== undefined);
    expect(found).toEqual(first === 'newest' ? paid.toReversed() : paid);
  });

  test('filters by round, time, amount, note, sender and receiver', async () => {
    const search = () => chain.indexer.searchForTransactions().maxRound(3);
    expect(ids(await chain.indexer.searchForTransactions().round(2).do())).toEqual([paid[1]]);
    expect(ids(await search().minRound(2).do())).toEqual(paid.slice(1));
    const time = new Date(START + 10_000).toISOString();
    expect(ids(await search().afterTime(time).do())).toEqual([paid[2]]);
    expect(ids(await search().beforeTime(time).do())).toEqual([paid[0]]);
    expect(ids(await search().currencyGreaterThan(100_000).currencyLessThan(300_000).do())).toEqual([paid[1]]);
    expect(ids(await search().notePrefix(new TextEncoder().encode('paid 3')).do())).toEqual([paid[2]]);
    const { payer, merchant } = chain.node.accounts;
    expect(ids(await search().address(payer.address).addressRole('sender').do())).toHaveLength(3);
    expect(ids(await search().address(payer.address).addressRole('receiver').do())).toEqual([]);
    expect(ids(await search().address(merchant.address).addressRole('receiver').do())).toHaveLength(3);
    expect(ids(await search().txType('axfer').do())).toEqual([]);
    expect(ids(await search().sigType('sig').do())).toHaveLength(3);
    expect(ids(await search().sigType('msig').do())).toEqual([]);
    expect(ids(await search().rekeyTo(true).do())).toEqual([]);
    expect(
      ids(
        await search()
          .txid(paid[0] ?? '')
          .do(),
      ),
    ).toEqual([paid[0]]);
  });

  test('finds transfers by asset, group and rekeying', async () => {
    const sent = await transfer(chain.payer, chain.merchant.addr, 25n);
    expect(ids(await chain.indexer.lookupAssetTransactions(USDC).do())).toEqual([sent]);
    const search = () => chain.indexer.searchForTransactions().assetID(USDC);
    expect(ids(await search().currencyGreaterThan(24).do())).toEqual([sent]);
    expect(ids(await search().currencyGreaterThan(25).do())).toEqual([]);
    expect(ids(await search().txid(sent).do())).toEqual([sent]);
    expect(
      ids(
        await search()
          .txid(paid[0] ?? '')
          .do(),
      ),
    ).toEqual([]);
    const { transaction } = await chain.indexer.lookupTransactionByID(sent).do();
    expect(transaction.assetTransferTransaction).toMatchObject({ amount: 25n, assetId: USDC, closeAmount: 0n });
    const rekeyed = await chain.pay(1n, { rekeyTo: chain.payer.addr });
    expect(ids(await chain.indexer.searchForTransactions().rekeyTo(true).do())).toEqual([rekeyed]);
  });

  test('finds the members of a group', async () => {
    const suggestedParams = await chain.params();
    const { payer, merchant } = chain;
    const members = [7n, 8n].map((amount) =>
      algosdk.makePaymentTxnWithSuggestedParamsFromObject({
        sender: payer.addr,
        receiver: merchant.addr,
        amount,
        suggestedParams,
      }),
    );
    algosdk.assignGroupID(members);
    await chain.algod.sendRawTransaction(members.map((member) => member.signTxn(payer.sk))).do();
    const group = Buffer.from(members[0]?.group ?? []).toString('base64');
    expect(ids(await chain.indexer.searchForTransactions().groupid(group).do())).toEqual(
      members.map((member) => member.txID()),
    );
  });

  test('counts whoever gets what is left among the receivers, unless told otherwise', async () => {
    await chain.node.fund(other.addr.toString(), 1_000_000n);
    const closing = algosdk.makePaymentTxnWithSuggestedParamsFromObject({
      sender: other.addr,
      receiver: other.addr,
      amount: 0n,
      closeRemainderTo: chain.merchant.addr,
      suggestedParams: await chain.params(),
    });
    const closed = await chain.send(closing, other);
    const { transaction } = await chain.indexer.lookupTransactionByID(closed).do();
    expect(transaction).toMatchObject({ closingAmount: 999_000n, paymentTransaction: { closeAmount: 999_000n } });
    const search = () => {
      const { address } = chain.node.accounts.merchant;
      return chain.indexer
        .searchForTransactions()
        .address(address)
        .addressRole('receiver')
        .minRound(transaction.confirmedRound ?? 0n);
    };
    expect(ids(await search().do())).toEqual([closed]);
    expect(ids(await search().excludeCloseTo(true).do())).toEqual([]);
  });

  test('finds what was paid to the zero address, and nothing that merely names nobody', async () => {
    const burn = algosdk.makePaymentTxnWithSuggestedParamsFromObject({
      sender: chain.payer.addr,
      receiver: algosdk.Address.zeroAddress(),
      amount: 100_000n,
      suggestedParams: await chain.params(),
    });
    const burned = await chain.send(burn, chain.payer);
    const search = () => chain.indexer.searchForTransactions().address(algosdk.Address.zeroAddress().toString());
    expect(ids(await search().do())).toEqual([burned]);
    expect(ids(await search().addressRole('receiver').do())).toEqual([burned]);
    expect(ids(await search().addressRole('sender').do())).toEqual([]);
  });

  test('knows the life of an asset, from creation to destruction', async () => {
    const maker = algosdk.generateAccount();
    const { addr } = maker;
    await chain.node.fund(addr.toString(), 1_000_000n);
    const created = await chain.send(
      algosdk.makeAssetCreateTxnWithSuggestedParamsFromObject({
        sender: addr,
        total: 10n,
        decimals: 0,
        unitName: 'ONE',
        assetName: 'One of ten',
        manager: addr,
        freeze: addr,
        suggestedParams: await chain.params(),
      }),
      maker,
    );
    const { transaction } = await chain.indexer.lookupTransactionByID(created).do();
    const assetIndex = transaction.createdAssetIndex ?? 0n;
    expect(assetIndex).toBeGreaterThan(1000n);
    expect(transaction.assetConfigTransaction?.params).toMatchObject({
      total: 10n,
      name: 'One of ten',
      unitName: 'ONE',
    });
    const frozen = await chain.send(
      algosdk.makeAssetFreezeTxnWithSuggestedParamsFromObject({
        sender: addr,
        assetIndex,
        freezeTarget: addr,
        frozen: true,
        suggestedParams: await chain.params(),
      }),
      maker,
    );
    const destroyed = await chain.send(
      algosdk.makeAssetDestroyTxnWithSuggestedParamsFromObject({
        sender: addr,
        assetIndex,
        suggestedParams: await chain.params(),
      }),
      maker,
    );
    expect(ids(await chain.indexer.lookupAssetTransactions(assetIndex).do())).toEqual([created, frozen, destroyed]);
    const target = chain.indexer.searchForTransactions().address(addr.toString()).addressRole('freeze-target');
    expect(ids(await target.do())).toEqual([frozen]);
    await expect(chain.indexer.lookupAssetByID(assetIndex).do()).rejects.toMatchObject({ status: 404 });
  });

  test('shows going offline, a multisig and a program as what signed', async () => {
    const keyreg = algosdk.makeKeyRegistrationTxnWithSuggestedParamsFromObject({
      sender: chain.payer.addr,
      suggestedParams: await chain.params(),
    });
    const offline = await chain.indexer.lookupTransactionByID(await chain.send(keyreg, chain.payer)).do();
    expect(offline.transaction).toMatchObject({ txType: 'keyreg', keyregTransaction: { nonParticipation: false } });
    const parameters = { version: 1, threshold: 1, addrs: [chain.payer.addr, chain.merchant.addr] };
    const shared = algosdk.multisigAddress(parameters);
    // txn Amount; pushint 1000; <=
    const program = new algosdk.LogicSigAccount(Buffer.from('06310881e8070e', 'hex'));
    for (const address of [shared, program.address()]) await chain.node.fund(address.toString(), 1_000_000n);
    const payment = async (sender: algosdk.Address) =>
      algosdk.makePaymentTxnWithSuggestedParamsFromObject({
        sender,
        receiver: chain.merchant.addr,
        amount: 5n,
        suggestedParams: await chain.params(),
      });
    const byMultisig = algosdk.signMultisigTransaction(await payment(shared), parameters, chain.payer.sk);
    const byProgram = algosdk.signLogicSigTransactionObject(await payment(program.address()), program);
    for (const { blob } of [byMultisig, byProgram]) await chain.algod.sendRawTransaction(blob).do();
    const search = () => chain.indexer.searchForTransactions();
    expect(ids(await search().sigType('msig').do())).toEqual([byMultisig.txID]);
    const { transactions } = await search().sigType('lsig').do();
    expect(transactions.map(({ id }) => id)).toEqual([byProgram.txID]);
    expect(Buffer.from(transactions[0]?.signature?.logicsig?.logic ?? []).toString('hex')).toBe('06310881e8070e');
    const { transaction } = await chain.indexer.lookupTransactionByID(byMultisig.txID).do();
    expect(transaction.signature?.multisig).toMatchObject({ threshold: 1, version: 1 });
    expect(transaction.signature?.multisig?.subsignature).toHaveLength(2);
  });
});
