import { describe, expect, test } from 'vitest';
import { parseAddress } from '@avm402/algorand/address';
import type { SignedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import { assetParams, type Transaction } from '../../src/codec/schema/transaction.ts';
import { addressKey } from '../../src/transaction/address-key.ts';
import type { Addition } from '../../src/ledger/block-builder.ts';
import type { Chain } from '../../src/ledger/chain.ts';
import { evaluateGroup } from '../../src/ledger/evaluate-group.ts';
import { groupMember, type GroupMember } from '../../src/transaction/member.ts';
import {
  addressOf,
  ALICE,
  BOB,
  CAROL,
  groupBytes,
  REWARDS_POOL,
  sign,
  testAccount,
  testChain,
  testGenesis,
  testNode,
  uniquePayment,
  unsigned,
} from '../chain-fixture.ts';
import { moneyText } from '@avm402/teal/go';

const presented = (chain: Chain): { genesisId: string; genesisHash: Uint8Array } => chain.context;

function member(chain: Chain, fields: Partial<Transaction>, signer = ALICE): GroupMember {
  const signed: SignedTransaction = sign(signer, unsigned(signer, presented(chain), fields));
  return groupMember(signed);
}

/** Why a group was not taken into a block. */
function refusalOf(addition: Addition): string | undefined {
  return typeof addition === 'object' ? addition.message : undefined;
}

describe('a block that is being built', () => {
  test('leaves everything as it was when a group fails', () => {
    const chain = testChain();
    const block = chain.startBlock();
    const before = block.state.account(addressKey(addressOf(ALICE)));
    const pays = member(chain, { amount: 500_000n });
    const overspends = member(chain, { amount: 10n ** 12n });
    expect(refusalOf(block.add([pays, overspends]))).toContain('overspend');
    expect(block.transactions).toEqual([]);
    expect(block.fees).toBe(0n);
    expect(block.state.account(addressKey(addressOf(ALICE)))).toEqual(before);
    block.add([pays]);
    expect(block.transactions).toHaveLength(1);
  });

  test('says which member was refused', () => {
    const chain = testChain();
    const group = [member(chain, {}), member(chain, { amount: 10n ** 12n })];
    const context = { chain: chain.context, round: 1n, counter: 1000n, uses: chain.tail };
    const { refused, applied } = evaluateGroup(group, chain.state, context);
    expect(refused).toEqual({ member: 1, message: expect.stringContaining('overspend') });
    expect(applied.map((each) => each.member)).toEqual(group);
    expect(chain.startBlock().add(group)).toEqual(refused);
  });

  test('refuses a transaction that one block before it, still pending, already has', () => {
    const chain = testChain();
    const first = chain.startBlock();
    const payment = member(chain, {});
    first.add([payment]);
    expect(refusalOf(first.next().add([payment]))).toContain('transaction already in ledger');
  });

  test('holds a lease until its holder expires, and then no longer', () => {
    const chain = testChain();
    const lease = new Uint8Array(32).fill(9);
    const holder = member(chain, { lease, lastValid: 2n });
    const other = member(chain, { lease, amount: 2n });
    const clock = { offset: 1n, now: 0n };
    const first = chain.startBlock();
    first.add([holder]);
    chain.append(first, clock);
    const second = chain.startBlock();
    expect(refusalOf(second.add([other]))).toContain('using an overlapping lease');
    chain.append(second, clock);
    const third = chain.startBlock();
    expect(third.add([other])).toBe('added');
  });

  test('takes no more bytes than a block may have', () => {
    const chain = testChain({ maxBlockBytes: 400 });
    const block = chain.startBlock();
    block.add([member(chain, {})]);
    expect(block.add([member(chain, { amount: 2n }), member(chain, { amount: 3n })])).toBe('full');
    expect(block.transactions).toHaveLength(1);
  });

  test('numbers assets by the transactions before them, inside a group, too', () => {
    const chain = testChain();
    const block = chain.startBlock();
    block.add([member(chain, {})]);
    const create = { type: 'acfg', assetParams: assetParams.of({ total: 5n }) };
    block.add([member(chain, { amount: 2n }), member(chain, create)]);
    expect(block.transactions.at(-1)?.effects.configAsset).toBe(1003n);
  });

  test('lets a rekey count for the next member of the group', () => {
    const chain = testChain();
    const rekey = member(chain, { rekeyTo: addressOf(BOB) });
    const old = member(chain, { amount: 2n });
    expect(refusalOf(chain.startBlock().add([rekey, old]))).toContain('should have been authorized by');
    const txn = unsigned(ALICE, presented(chain), { amount: 2n });
    const signed = { ...sign(BOB, txn), authAddress: addressOf(BOB) };
    expect(chain.startBlock().add([rekey, groupMember(signed)])).toBe('added');
  });

  test('lets one member pay for all, and refuses a µAlgo less', () => {
    const chain = testChain();
    const free = member(chain, { fee: 0n });
    const paying = (fee: bigint): GroupMember => member(chain, { fee, amount: 2n }, CAROL);
    expect(refusalOf(chain.startBlock().add([free, paying(1999n)]))).toContain(
      'txgroup with 1.999mA fees is less than 2mA (usage=2.000000 * base=1mA)',
    );
    expect(chain.startBlock().add([free, paying(2000n)])).toBe('added');
  });
});

describe('an account', () => {
  test('under its minimum may take part with nothing in a group that another pays for', async () => {
    const node = testNode({ genesis: testGenesis({ alice: { algo: 50_000 } }) });
    const free = sign(ALICE, unsigned(ALICE, node, { fee: 0n, amount: 0n }));
    const paying = sign(BOB, unsigned(BOB, node, { fee: 2000n }));
    await expect(node.submissions.submit(groupBytes([free, paying]))).resolves.toHaveProperty('txId');
    const moving = sign(ALICE, unsigned(ALICE, node, { fee: 0n, amount: 1n }));
    await expect(node.submissions.submit(groupBytes([moving, paying]))).rejects.toThrow(
      'balance 49999 below min 100000',
    );
    node.close();
  });

  test('whose voting keys have expired goes offline with the first block that touches it', () => {
    const chain = testChain();
    const online = {
      type: 'keyreg',
      voteKey: new Uint8Array(32).fill(1),
      selectionKey: new Uint8Array(32).fill(2),
      stateProofKey: new Uint8Array(64).fill(3),
      voteKeyDilution: 1n,
      voteLastValid: 2n,
    };
    const clock = { offset: 1n, now: 0n };
    const status = (): string => chain.state.account(addressKey(addressOf(ALICE))).status;
    const first = chain.startBlock();
    first.add([member(chain, online)]);
    chain.append(first, clock);
    chain.append(chain.startBlock(), clock);
    chain.append(chain.startBlock(), clock);
    expect(status()).toBe('Online');
    const touching = chain.startBlock();
    touching.add([member(chain, {})]);
    chain.append(touching, clock);
    expect(status()).toBe('Offline');
    expect(chain.latest.expiredAccounts).toEqual([parseAddress(ALICE.address)]);
  });

  test('whose voting keys are in their last round stays online', () => {
    const chain = testChain();
    const online = {
      type: 'keyreg',
      voteKey: new Uint8Array(32).fill(1),
      selectionKey: new Uint8Array(32).fill(2),
      stateProofKey: new Uint8Array(64).fill(3),
      voteKeyDilution: 1n,
      voteLastValid: 2n,
    };
    for (const fields of [online, {}]) {
      const block = chain.startBlock();
      block.add([member(chain, fields)]);
      chain.append(block, { offset: 1n, now: 0n });
    }
    expect(chain.latest.round).toBe(2n);
    expect(chain.state.account(addressKey(addressOf(ALICE))).status).toBe('Online');
  });

  test('of the protocol, such as the rewards pool, may be under the minimum', async () => {
    const node = testNode({ genesis: testGenesis({ rewardsPool: 5 }) });
    await expect(
      node.submissions.submit(uniquePayment(node, { receiver: parseAddress(REWARDS_POOL) })),
    ).resolves.toBeDefined();
    node.close();
  });

  test('that was closed is gone, its authorizer with it', () => {
    const chain = testChain();
    const block = chain.startBlock();
    const dora = testAccount(4);
    block.add([member(chain, { receiver: addressOf(dora), amount: 300_000n })]);
    block.add([member(chain, { rekeyTo: addressOf(BOB), receiver: addressOf(dora), amount: 0n }, dora)]);
    const close = unsigned(dora, presented(chain), { amount: 0n, closeRemainderTo: addressOf(ALICE) });
    block.add([groupMember({ ...sign(BOB, close), authAddress: addressOf(BOB) })]);
    chain.append(block, { offset: 1n, now: 0n });
    expect(chain.state.account(addressKey(addressOf(dora)))).toMatchObject({ microAlgos: 0n, authAddress: undefined });
  });
});

test.each([
  [0n, '0.0A'],
  [1n, '1uA'],
  [999n, '999uA'],
  [1000n, '1mA'],
  [1999n, '1.999mA'],
  [1100n, '1.100mA'],
  [1_000_000n, '1A'],
  [1_000_001n, '1.000001A'],
  [2n ** 64n - 1n, '18446744073709.551615A'],
])('%d µAlgo reads %s', (microAlgos, text) => {
  expect(moneyText(microAlgos)).toBe(text);
});
