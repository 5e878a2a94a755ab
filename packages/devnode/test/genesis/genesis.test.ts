import { encodeBase64 } from '@avm402/algorand/base64';
import { LOCALNET, TESTNET } from '@avm402/algorand/networks';
import { parseAddress } from '@avm402/algorand/address';
import { describe, expect, test } from 'vitest';
import { DevelopmentNode } from '../../src/development-node.ts';
import { developmentAccounts, DEVELOPMENT_ACCOUNT_NAMES } from '../../src/genesis/development-accounts.ts';
import { developmentGenesis } from '../../src/genesis/development-genesis.ts';
import { DEVELOPMENT_USDC } from '../../src/dev/development-usdc.ts';
import { parseGenesis } from '../../src/genesis/genesis.ts';
import { ALICE, balanceOf, testAccount, testGenesis, testNode, uniquePayment } from '../chain-fixture.ts';
import { readVector } from '../replay/recording.ts';

describe('a genesis', () => {
  test('has the hash that algod computed for it', () => {
    const hash = parseGenesis(readVector('genesis.json')).hash;
    expect(encodeBase64(hash)).toBe('4olnn3SKfmssvI7vA5Awe1b1FTNwwEhWGtC83mWSK9Y=');
  });

  test('of your own has its accounts and nothing else', () => {
    const node = testNode();
    expect(node.queries.genesisId).toBe('test-v1');
    expect(balanceOf(node, ALICE)).toBe(1_000_000_000n);
    expect(node.queries.asset(DEVELOPMENT_USDC)).toBeUndefined();
    expect(node.queries.supply().totalMoney).toBe(3_000_000_000n);
  });

  test.each([
    ['no JSON', 'not a genesis.json', 'hello'],
    ['cut off', 'the text ends too early', '{"id":'],
    ['with an unknown key', 'no matching struct field found', '{"colour":1}'],
    ['of an unknown protocol', 'consensus version "v0" is not known', testGenesis({ proto: 'v0' })],
    ['with rewards to pay', 'would earn rewards', testGenesis({ rewardsPool: 600_000 })],
    ['with a broken address', 'fees: address', testGenesis().replace('"fees":"A7', '"fees":"B7')],
    ['with an unknown status', 'onl: 3 is not 0, 1 or 2', testGenesis({ alice: { onl: 3 } })],
  ])('%s is refused by its fault', (_name, problem, json) => {
    expect(() => new DevelopmentNode({ genesis: json })).toThrow(problem);
  });

  test('may say of an account that it is online without keys, and online it stays', async () => {
    const node = testNode({ genesis: testGenesis({ alice: { onl: 1 } }) });
    await node.submissions.submit(uniquePayment(node));
    const { account } = node.queries.account(parseAddress(ALICE.address));
    expect(account).toMatchObject({ status: 'Online', participation: undefined });
    expect(node.queries.block(1n, { headerOnly: true })?.toJson()).not.toContain('partupdrmv');
  });

  test('of your own and the network of another contradict each other', () => {
    expect(() => new DevelopmentNode({ genesis: testGenesis(), network: 'testnet' })).toThrow(
      'genesis and network exclude each other',
    );
  });
});

describe('the development chain', () => {
  const node = new DevelopmentNode();
  const accounts = developmentAccounts();

  test('has the genesis that the other packages know, and an id without special characters', () => {
    expect(node.queries.genesisId).toBe(LOCALNET.genesisId);
    expect(encodeBase64(node.queries.genesisHash)).toBe(LOCALNET.genesisHash);
    expect(LOCALNET.genesisHash.slice(0, 32)).toMatch(/^[A-Za-z0-9]{32}$/);
    expect(node.queries.genesisJson).toBe(developmentGenesis());
  });

  test('funds every named account, the dispenser as Wallet1 and online', () => {
    for (const { address } of Object.values(accounts)) {
      expect(node.queries.account(parseAddress(address)).account.microAlgos).toBeGreaterThanOrEqual(10n ** 12n);
    }
    const { account } = node.queries.account(parseAddress(accounts.dispenser.address));
    expect(account.status).toBe('Online');
    expect(node.queries.genesisJson).toMatch(
      new RegExp(`"addr": "${accounts.dispenser.address}",\\s+"comment": "Wallet1"`),
    );
  });

  test('has USDC with every unit accounted for, payers with plenty, the merchant opted in', () => {
    const usdc = node.queries.asset(DEVELOPMENT_USDC);
    expect(usdc?.params).toMatchObject({ decimals: 6, total: 2n ** 64n - 1n });
    expect(Buffer.from(usdc?.params.unitName ?? []).toString()).toBe('USDC');
    const held = (name: keyof typeof accounts): bigint | undefined =>
      node.queries.account(parseAddress(accounts[name].address)).holdings.find(([id]) => id === DEVELOPMENT_USDC)?.[1]
        .amount;
    expect(held('payer')).toBe(1_000_000_000_000n);
    expect(held('merchant')).toBe(0n);
    expect(held('facilitator')).toBe(0n);
    const all = DEVELOPMENT_ACCOUNT_NAMES.reduce((sum, name) => sum + (held(name) ?? 0n), 0n);
    expect(all).toBe(usdc?.params.total);
    const issuer = node.queries.account(parseAddress(accounts.usdcIssuer.address));
    expect(issuer.created.map(([id]) => id)).toEqual([DEVELOPMENT_USDC]);
    expect(issuer.account).toMatchObject({ totalAssets: 1, totalCreatedAssets: 1 });
  });

  test('can be presented as TestNet over the same accounts', () => {
    const testnet = new DevelopmentNode({ network: 'testnet' });
    expect(testnet.queries.genesisId).toBe(TESTNET.genesisId);
    expect(encodeBase64(testnet.queries.genesisHash)).toBe(TESTNET.genesisHash);
    expect(JSON.parse(testnet.queries.genesisJson)).toMatchObject({ network: 'testnet', id: 'v1.0' });
    const payer = parseAddress(accounts.payer.address);
    expect(testnet.queries.account(payer).account).toEqual(node.queries.account(payer).account);
  });

  test('gives every name its own keys, the same each time', () => {
    const addresses = Object.values(accounts).map(({ address }) => address);
    expect(new Set(addresses).size).toBe(DEVELOPMENT_ACCOUNT_NAMES.length);
    expect(developmentAccounts()).toEqual(accounts);
    expect(addresses).not.toContain(testAccount(1).address);
  });
});
