import { describe, expect, test } from 'vitest';
import { DevelopmentNode } from '../../src/development-node.ts';
import { parseAccountsFile } from '../../src/accounts-file/accounts-file.ts';
import { assetParams } from '../../src/codec/schema/transaction.ts';
import { ALICE, BOB, CAROL, addressOf, signedBytes, testNode } from '../chain-fixture.ts';

const KEPT = { creator: BOB.address, total: 1000, decimals: 2, name: 'Kept', 'unit-name': 'K', manager: BOB.address };

const FILE = {
  accounts: [
    {
      address: ALICE.address,
      amount: 5,
      'auth-addr': BOB.address,
      assets: [{ 'asset-id': 77, amount: 3, 'is-frozen': true }],
    },
    { address: BOB.address, amount: 4_000_000_000_000_000 },
  ],
  assets: [{ index: 77, params: KEPT }],
};

describe('an accounts file', () => {
  test('is laid over the chain’s beginning: balances, keys, holdings and assets, without a block', () => {
    const node = testNode({ accountsFile: JSON.stringify(FILE) });
    const alice = node.queries.account(addressOf(ALICE));
    expect(alice.account).toMatchObject({ microAlgos: 5n, authAddress: addressOf(BOB), totalAssets: 1 });
    expect(alice.holdings).toEqual([[77n, { amount: 3n, frozen: true }]]);
    const bob = node.queries.account(addressOf(BOB));
    expect(bob.account).toMatchObject({ microAlgos: 4_000_000_000_000_000n, totalCreatedAssets: 1 });
    expect(bob.created).toEqual([
      [77n, expect.objectContaining({ total: 1000n, decimals: 2, name: Uint8Array.from(Buffer.from('Kept')) })],
    ]);
    expect(node.queries.latestRound).toBe(0n);
    node.close();
  });

  test('gives an asset that is there already its own creator and parameters', () => {
    const usdc = { index: 10_458_941, params: { ...KEPT, name: 'USD Coin' } };
    const node = new DevelopmentNode({ accountsFile: JSON.stringify({ assets: [usdc] }) });
    const asset = node.queries.asset(10_458_941n);
    expect([asset?.creator, asset?.params.name]).toEqual([addressOf(BOB), Uint8Array.from(Buffer.from('USD Coin'))]);
    node.close();
  });

  test.each([
    ['no JSON', 'accounts', /not usable/],
    ['nothing', '{}', 'it names neither accounts nor assets'],
    ['an unknown field', JSON.stringify({ ...FILE, amount: 1 }), 'no matching struct field found'],
    [
      'an account twice',
      JSON.stringify({ ...FILE, accounts: [...FILE.accounts, ...FILE.accounts] }),
      'it names the same account twice',
    ],
    [
      'an asset twice',
      JSON.stringify({ ...FILE, assets: [...FILE.assets, ...FILE.assets] }),
      'it names the same asset twice',
    ],
    ['an account without address', JSON.stringify({ accounts: [{ amount: 1 }] }), 'an account has no address'],
    ['a wrong address', JSON.stringify({ accounts: [{ address: `${ALICE.address.slice(0, -1)}A` }] }), /not usable/],
    ['an amount that does not fit', '{"accounts":[{"amount":18446744073709551616}]}', /not usable/],
    [
      'too many decimals',
      JSON.stringify({ assets: [{ index: 1, params: { ...KEPT, decimals: 20 } }] }),
      'has 20 decimals',
    ],
    ['an asset without id', JSON.stringify({ assets: [{ params: KEPT }] }), 'no asset has the id 0'],
    [
      'a holding of no asset',
      JSON.stringify({ accounts: FILE.accounts }),
      'holds asset 77, which is not among the assets',
    ],
  ])('with %s is refused', (_, text, reason) => {
    const start = (): unknown => testNode({ accountsFile: text });
    expect(start).toThrow(expect.objectContaining({ code: 'invalid_accounts_file' }));
    expect(start).toThrow(reason);
  });

  test('may hold texts that are no UTF-8', () => {
    const params = { ...KEPT, name: undefined, 'name-b64': '//4=' };
    const { assets } = parseAccountsFile(JSON.stringify({ assets: [{ index: 5, params }] }));
    expect(assets?.[0]?.params.nameBytes).toEqual(Uint8Array.of(0xff, 0xfe));
  });

  test('may take the ids that the chain would give next: a new asset gets the first one that is free', async () => {
    const taken = [1001, 1002].map((index) => ({ index, params: { ...KEPT, creator: ALICE.address } }));
    const node = testNode({ accountsFile: JSON.stringify({ assets: taken }) });
    const params = assetParams.of({ total: 7n });
    await node.submissions.submit(signedBytes(node, { type: 'acfg', assetParams: params }, CAROL));
    expect(node.queries.account(addressOf(CAROL)).created).toEqual([[1003n, params]]);
    expect(node.queries.asset(1001n)?.params.total).toBe(1000n);
    node.close();
  });
});
