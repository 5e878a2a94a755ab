import { describe, expect, test } from 'vitest';
import { MAX_UINT64 } from '../../src/codec/integer.ts';
import { EMPTY_ACCOUNT } from '../../src/ledger/account.ts';
import { OnlineAccounts } from '../../src/ledger/state/online-accounts.ts';
import type { DevelopmentNode } from '../../src/development-node.ts';
import { ALICE, BOB, addressOf, signedBytes, testGenesis, uniquePayment } from '../chain-fixture.ts';
import { startedNode } from '../started-node.ts';

const key = (length: number): Uint8Array => new Uint8Array(length).fill(1);

/** A node on whose chain Alice is online from the start, with keys that are valid up to a round. */
function nodeOf(voteLastValid = 3_000_000): DevelopmentNode {
  const alice = { onl: 1, vote: Buffer.from(key(32)).toString('base64'), voteLst: voteLastValid };
  return startedNode({ genesis: testGenesis({ alice }) });
}

/** Alice pays 1 µAlgo to Bob, and a fee of 1000. */
const pay = (node: DevelopmentNode) =>
  node.submissions.submit(uniquePayment(node, { firstValid: node.queries.latestRound + 1n, lastValid: 1000n }));
const mineTo = (node: DevelopmentNode, round: number) => node.controls.mine(round - Number(node.queries.latestRound));
const stake = (node: DevelopmentNode): bigint => node.queries.supply().onlineStake;
const status = (node: DevelopmentNode, account = ALICE): string =>
  node.queries.account(addressOf(account)).account.status;
const register = (node: DevelopmentNode, voteLastValid: bigint, account = ALICE) =>
  node.submissions.submit(
    signedBytes(
      node,
      {
        type: 'keyreg',
        voteKey: key(32),
        selectionKey: key(32),
        stateProofKey: key(64),
        voteKeyDilution: 1n,
        voteLastValid,
      },
      account,
    ),
  );
/** The accounts that a block took offline. */
const expiredIn = async (node: DevelopmentNode, round: bigint): Promise<unknown> => {
  const { block } = JSON.parse(String(node.queries.block(round, { headerOnly: true })?.toJson())) as {
    block: { partupdrmv?: string[] };
  };
  return block.partupdrmv;
};

describe('the online stake', () => {
  test('is that of 320 rounds ago', async () => {
    const node = nodeOf();
    await pay(node);
    await register(node, 3_000_000n, BOB);
    await mineTo(node, 320);
    expect(stake(node)).toBe(1_000_000_000n);
    await mineTo(node, 321);
    expect(stake(node)).toBe(1_000_000_000n - 1001n);
    await mineTo(node, 322);
    expect(stake(node)).toBe(2_000_000_000n - 1001n - 1000n + 1n);
  });

  test('is no more than 64 bits can say, though controls create any amount', () => {
    const online = new OnlineAccounts();
    for (const owner of ['a', 'b']) {
      online.move(owner, undefined, { ...EMPTY_ACCOUNT, status: 'Online', microAlgos: MAX_UINT64 });
    }
    expect(online.stakeIn(1n)).toBe(MAX_UINT64);
  });

  test('leaves out who was online then with keys that have expired', async () => {
    const node = nodeOf(100);
    await mineTo(node, 100);
    expect(stake(node)).toBe(1_000_000_000n);
    await mineTo(node, 101);
    expect(stake(node)).toBe(0n);
  });

  test('is the same on a node that loads the state, and after a return to a snapshot', async () => {
    const node = nodeOf();
    await pay(node);
    await mineTo(node, 200);
    await pay(node);
    await register(node, 3_000_000n, BOB);
    await mineTo(node, 300);
    const { id } = node.controls.takeSnapshot();
    const state = node.controls.dump();
    const twin = startedNode({ state, genesis: node.queries.genesisJson });
    const course = async (each: DevelopmentNode): Promise<bigint[]> => {
      const seen: bigint[] = [];
      for (const round of [320, 321, 520, 521, 522, 620, 621, 622]) {
        if (round === 522) await pay(each);
        else await mineTo(each, round);
        seen.push(stake(each));
      }
      return seen;
    };
    const seen = await course(node);
    expect(new Set(seen).size).toBe(4);
    expect(await course(twin)).toEqual(seen);
    node.controls.revert(id);
    expect(await course(node)).toEqual(seen);
    node.controls.load(state);
    expect(await course(node)).toEqual(seen);
  });
});

describe('an account whose keys have expired, and that no transaction touches', () => {
  test('goes offline at once in the first 240 rounds when it is online in genesis', async () => {
    const node = nodeOf(5);
    await register(node, 6n, BOB);
    await mineTo(node, 5);
    expect(status(node)).toBe('Online');
    await mineTo(node, 10);
    expect(await expiredIn(node, 6n)).toEqual([ALICE.address]);
    expect([status(node), status(node, BOB)]).toEqual(['Offline', 'Online']);
  });

  test('stays online later when its keys ended before the round for which the last voters were chosen', async () => {
    const node = nodeOf(511);
    await mineTo(node, 530);
    expect(status(node)).toBe('Online');
  });

  test('goes offline later when it was chosen and has taken other keys since', async () => {
    const node = nodeOf(512);
    await mineTo(node, 245);
    await register(node, 250n);
    await register(node, 250n, BOB);
    await mineTo(node, 260);
    expect(await expiredIn(node, 251n)).toEqual([ALICE.address]);
    expect([status(node), status(node, BOB)]).toEqual(['Offline', 'Online']);
  });
});
