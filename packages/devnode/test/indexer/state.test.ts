// Accounts, assets and blocks of the indexer as the official SDK reads them.
import algosdk from 'algosdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startDevnode } from '../../src/start-devnode.ts';
import { startIndexedNode, type IndexedNode } from './chain-of-payments.ts';

const USDC = 10_458_941n;

describe('an indexer', () => {
  let chain: IndexedNode;
  beforeEach(async () => {
    chain = await startIndexedNode();
  });
  afterEach(() => chain.node.stop());

  const get = async (path: string): Promise<{ status: number; json: Record<string, unknown> }> => {
    const response = await fetch(`${chain.node.indexerUrl}${path}`);
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };

  test('knows an account as the node does', async () => {
    await chain.pay(5n);
    const { address } = chain.node.accounts.payer;
    const { account, currentRound } = await chain.indexer.lookupAccountByID(address).do();
    expect(currentRound).toBe(1n);
    const known = await chain.algod.accountInformation(address).do();
    for (const member of ['amount', 'minBalance', 'status', 'totalAssetsOptedIn', 'round'] as const) {
      // The SDK reads some numbers as bigint here and as number there.
      expect(String(account[member]), member).toBe(String(known[member]));
    }
    expect(account).toMatchObject({ createdAtRound: 0n, deleted: false, assets: [{ assetId: USDC, isFrozen: false }] });
  });

  test('says since when an account takes part', async () => {
    await chain.node.mine(3);
    const fresh = algosdk.generateAccount().addr;
    const payment = algosdk.makePaymentTxnWithSuggestedParamsFromObject({
      sender: chain.payer.addr,
      receiver: fresh,
      amount: 200_000n,
      suggestedParams: await chain.params(),
    });
    await chain.send(payment, chain.payer);
    const { account } = await chain.indexer.lookupAccountByID(fresh.toString()).do();
    expect(account.createdAtRound).toBe(4n);
  });

  test('answers 404 for an account that has nothing', async () => {
    const nobody = algosdk.generateAccount().addr.toString();
    const { status, json } = await get(`/v2/accounts/${nobody}`);
    expect(status).toBe(404);
    expect(json['message']).toBe(`no accounts found for address: ${nobody}`);
  });

  test('leaves out what is excluded', async () => {
    const { address } = chain.node.accounts.usdcIssuer;
    const whole = await chain.indexer.lookupAccountByID(address).do();
    expect(whole.account.createdAssets?.map(({ index }) => index)).toEqual([USDC]);
    const bare = await chain.indexer.lookupAccountByID(address).exclude('all').do();
    expect([bare.account.assets, bare.account.createdAssets]).toEqual([undefined, undefined]);
    const some = await chain.indexer.lookupAccountByID(address).exclude('assets').do();
    expect([some.account.assets, some.account.createdAssets?.length]).toEqual([undefined, 1]);
    expect((await get(`/v2/accounts/${address}?exclude=colour`)).status).toBe(400);
  });

  test('pages through all accounts, those of a control too, each once', async () => {
    const funded = algosdk.generateAccount().addr.toString();
    await chain.node.fund(funded, 123_456n);
    const found: string[] = [];
    let next: string | undefined;
    do {
      const search = chain.indexer.searchAccounts().limit(5);
      const page = await (next === undefined ? search : search.nextToken(next)).do();
      found.push(...page.accounts.map(({ address }) => address));
      next = page.nextToken;
    } while (next !== undefined);
    expect(new Set(found).size).toBe(found.length);
    for (const { address } of Object.values(chain.node.accounts)) expect(found).toContain(address);
    expect(found).toContain(funded);
  });

  test('finds accounts by asset, amount, status and the key that signs for them', async () => {
    const addresses = async (
      search: algosdk.indexerModels.AccountsResponse | PromiseLike<algosdk.indexerModels.AccountsResponse>,
    ) => (await search).accounts.map(({ address }) => address);
    const { payer, merchant, dispenser } = chain.node.accounts;
    const rich = await addresses(chain.indexer.searchAccounts().currencyGreaterThan(2_000_000_000_000).do());
    expect(rich).toEqual([dispenser.address]);
    const holders = await addresses(chain.indexer.searchAccounts().assetID(USDC).currencyGreaterThan(0).do());
    expect(holders).toContain(payer.address);
    expect(holders).not.toContain(merchant.address);
    expect(await addresses(chain.indexer.searchAccounts().onlineOnly(true).do())).toEqual([dispenser.address]);
    await chain.pay(1n, { rekeyTo: chain.merchant.addr });
    expect(await addresses(chain.indexer.searchAccounts().authAddr(merchant.address).do())).toEqual([payer.address]);
  });

  test('knows assets by id, creator, name and unit', async () => {
    const { asset } = await chain.indexer.lookupAssetByID(USDC).do();
    expect(asset).toMatchObject({
      index: USDC,
      createdAtRound: 0n,
      deleted: false,
      params: { decimals: 6, unitName: 'USDC' },
    });
    const ids = ({ assets }: algosdk.indexerModels.AssetsResponse): bigint[] => assets.map(({ index }) => index);
    const search = () => chain.indexer.searchForAssets();
    expect(ids(await search().do())).toEqual([USDC]);
    expect(ids(await search().name('sdc').unit('usd').do())).toEqual([USDC]);
    expect(ids(await search().name('other').do())).toEqual([]);
    expect(ids(await search().creator(chain.node.accounts.usdcIssuer.address).do())).toEqual([USDC]);
    expect(ids(await search().creator(chain.node.accounts.payer.address).do())).toEqual([]);
    expect(ids(await search().index(1n).do())).toEqual([]);
  });

  test('knows who holds an asset, and what an account holds and created', async () => {
    const { payer, usdcIssuer } = chain.node.accounts;
    const { balances } = await chain.indexer.lookupAssetBalances(USDC).currencyGreaterThan(0).do();
    expect(balances).toContainEqual(
      expect.objectContaining({ address: payer.address, amount: 1_000_000_000_000n, isFrozen: false }),
    );
    const { assets } = await chain.indexer.lookupAccountAssets(payer.address).do();
    expect(assets).toMatchObject([{ assetId: USDC, amount: 1_000_000_000_000n, deleted: false }]);
    expect((await chain.indexer.lookupAccountAssets(payer.address).assetId(1n).do()).assets).toEqual([]);
    const created = await chain.indexer.lookupAccountCreatedAssets(usdcIssuer.address).do();
    expect(created.assets.map(({ index }) => index)).toEqual([USDC]);
  });

  test('knows blocks with their transactions, and finds headers', async () => {
    const id = await chain.pay(5n);
    await chain.node.mine(3);
    const block = await chain.indexer.lookupBlock(1).do();
    const { block: known } = await chain.algod.block(1).do();
    expect(block).toMatchObject({ round: 1n, timestamp: Number(known.header.timestamp), genesisId: 'dockernet-v1' });
    expect(block.transactionsRoot).toEqual(known.header.txnCommitments.nativeSha512_256Commitment);
    expect(block.transactions?.map((transaction) => transaction.id)).toEqual([id]);
    expect((await chain.indexer.lookupBlock(1).headerOnly(true).do()).transactions).toBeUndefined();
    const first = await chain.indexer.searchForBlockHeaders().limit(2).minRound(1).do();
    expect(first.blocks.map(({ round }) => round)).toEqual([1n, 2n]);
    const second = await chain.indexer
      .searchForBlockHeaders()
      .minRound(1)
      .nextToken(first.nextToken ?? '')
      .do();
    expect(second.blocks.map(({ round }) => round)).toEqual([3n, 4n]);
    expect((await get('/v2/blocks/5')).status).toBe(404);
  });

  test('finds no applications where there are none', async () => {
    expect((await chain.indexer.searchForApplications().do()).applications).toEqual([]);
    await expect(chain.indexer.lookupApplications(1n).do()).rejects.toMatchObject({ status: 404 });
  });

  test.each([
    ['/v2/accounts?round=1', 'round'],
    ['/v2/accounts?include-all=true', 'include-all'],
    ['/v2/assets?include-all=true', 'include-all'],
    ['/v2/block-headers?proposers=A', 'proposers'],
  ])('refuses what it can’t tell, by name: %s', async (path, name) => {
    const { status, json } = await get(path);
    expect(status).toBe(400);
    expect(json['message']).toContain(`parameter ${name}: not supported by this indexer`);
  });

  test.each([
    ['/v2/transactions?sender=X', 'sender'],
    ['/v2/accounts/{account}?min-round=1', 'min-round'],
    ['/v2/assets?unit-name=USDC', 'unit-name'],
    ['/v2/applications?approval=X', 'approval'],
    ['/health?verbose=true', 'verbose'],
  ])(
    'refuses a filter that it has never heard of, so that nobody takes for filtered what is not: %s',
    async (path, name) => {
      const { status, json } = await get(path.replace('{account}', chain.node.accounts.payer.address));
      expect([status, json['message']]).toEqual([400, `Unknown parameter detected: ${name}`]);
    },
  );

  test.each([
    ['/v2/transactions?next=x', 'next token'],
    ['/v2/accounts?next=x', 'next token'],
    ['/v2/assets?next=x', 'next token'],
    ['/v2/transactions?round=1&min-round=1', 'round'],
    ['/v2/transactions?min-round=2&max-round=1', 'min-round'],
    ['/v2/transactions?tx-type=gift', 'tx-type'],
    ['/v2/transactions?address=X', 'address'],
    ['/v2/transactions?note-prefix=*', 'note-prefix'],
    ['/v2/transactions?after-time=soon', 'after-time'],
    ['/v2/transactions?after-time=2026-11-27T10:00:00', 'after-time'],
    ['/v2/block-headers?before-time=2026-11-27T10:00:00+02:00', 'before-time'],
    ['/v2/transactions?limit=-1', 'limit'],
  ])('refuses what makes no sense, and says what: %s', async (path, named) => {
    const { status, json } = await get(path);
    expect(status).toBe(400);
    expect(json['message']).toContain(named);
  });

  test('lets pages read it with its own token header', async () => {
    const headers = { Origin: 'http://localhost:5173', 'Access-Control-Request-Headers': 'x-indexer-api-token' };
    const preflight = await fetch(`${chain.node.indexerUrl}/v2/assets`, { method: 'OPTIONS', headers });
    expect(preflight.headers.get('access-control-allow-headers')).toBe('X-Indexer-API-Token,Content-Type');
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  });

  test('is not there unless asked for, and stops with the node', async () => {
    const without = await startDevnode({ port: 0 });
    expect(without.indexerUrl).toBeUndefined();
    await without.stop();
    const node = await startDevnode({ port: 0, indexerPort: 0 });
    await node.stop();
    await expect(fetch(`${node.indexerUrl}/health`)).rejects.toThrow('fetch failed');
  });
});
