import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Transaction } from '../../src/codec/schema/transaction.ts';
import { assetParams } from '../../src/codec/schema/transaction.ts';
import { addressKey } from '../../src/transaction/address-key.ts';
import { minBalanceOf } from '../../src/ledger/min-balance.ts';
import type { Chain } from '../../src/ledger/chain.ts';
import type { State } from '../../src/ledger/state/state.ts';
import { groupMember, type GroupMember } from '../../src/transaction/member.ts';
import { signedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import { addressOf, ALICE, FEE_SINK, REWARDS_POOL, testAccount, testChain, unsigned } from '../chain-fixture.ts';
import type { Account } from '@avm402/algorand/account';
import { parseAddress } from '@avm402/algorand/address';

const ACCOUNTS = Array.from({ length: 5 }, (_, index) => testAccount(index + 1));
const KEYS = [...ACCOUNTS.map(addressOf), parseAddress(FEE_SINK), parseAddress(REWARDS_POOL)].map(addressKey);
const TOTAL = 1_000_000n;
const ASSETS = [1001n, 1002n];
const CLOCK = { offset: 1n, now: 0n };

const account = fc.constantFrom(...ACCOUNTS);
const amount = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt({ min: 0n, max: 3000n }) },
  { weight: 1, arbitrary: fc.constantFrom(100_000n, 10n ** 9n, 2n ** 64n - 1n) },
);

/** A payment or asset transaction between the accounts; some are refused, which is part of the test. */
const step = fc.record({
  sender: account,
  receiver: account,
  close: fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: account }),
  source: account,
  amount,
  asset: fc.constantFrom(...ASSETS),
  kind: fc.constantFrom('pay', 'pay', 'axfer', 'axfer', 'optIn', 'clawback', 'freeze', 'destroy'),
  fee: fc.constantFrom(1000n, 1000n, 4000n, 0n),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What only Alice may do, who has every role. */
const BY_ALICE = new Set(['clawback', 'freeze', 'destroy']);

function fieldsOf(given: Step, note: Uint8Array): Partial<Transaction> {
  const { kind, fee, asset: transferAsset } = given;
  const [receiver, sender] = [addressOf(given.receiver), addressOf(given.sender)];
  const close = given.close === null ? undefined : addressOf(given.close);
  const shared = { fee, note };
  if (kind === 'pay') return { ...shared, receiver, amount: given.amount, ...(close && { closeRemainderTo: close }) };
  if (kind === 'optIn') return { ...shared, type: 'axfer', transferAsset, assetReceiver: sender };
  if (kind === 'destroy') return { ...shared, type: 'acfg', configAsset: transferAsset };
  if (kind === 'freeze') {
    const assetFrozen = given.amount % 2n === 0n;
    return { ...shared, type: 'afrz', freezeAsset: transferAsset, freezeAccount: receiver, assetFrozen };
  }
  const transfer = { ...shared, type: 'axfer', transferAsset, assetReceiver: receiver, assetAmount: given.amount };
  if (kind === 'clawback') return { ...transfer, assetSender: addressOf(given.source) };
  return { ...transfer, ...(close && { assetCloseTo: close }) };
}

/** Evaluation does not look at signatures, so these have none. */
function memberOf(chain: Chain, sender: Account, fields: Partial<Transaction>): GroupMember {
  return groupMember(signedTransaction.of({ transaction: unsigned(sender, chain.context, fields) }));
}

function member(chain: Chain, given: Step, note: number): GroupMember {
  const sender = BY_ALICE.has(given.kind) ? ALICE : given.sender;
  return memberOf(chain, sender, fieldsOf({ ...given, sender }, Buffer.from(String(note))));
}

/** Every account has Algos, holds some of the first asset and none of the second, whose holdings begin frozen. */
function chainWithAssets(): Chain {
  const chain = testChain();
  const block = chain.startBlock();
  const alice = addressOf(ALICE);
  const roles = { manager: alice, freeze: alice, clawback: alice };
  for (const [index] of ASSETS.entries()) {
    const params = assetParams.of({ total: TOTAL, ...roles, defaultFrozen: index === 1 });
    block.add([memberOf(chain, ALICE, { type: 'acfg', assetParams: params, note: Uint8Array.of(index) })]);
  }
  for (const holder of ACCOUNTS.slice(1)) {
    const receiver = addressOf(holder);
    const transfer = { type: 'axfer', transferAsset: 1001n, assetReceiver: receiver };
    block.add([memberOf(chain, ALICE, { receiver, amount: 10_000_000n })]);
    block.add([memberOf(chain, holder, transfer)]);
    block.add([memberOf(chain, ALICE, { ...transfer, assetAmount: 10_000n })]);
  }
  chain.append(block, CLOCK);
  return chain;
}

function microAlgosIn(state: State): bigint {
  return KEYS.reduce((sum, key) => sum + state.account(key).microAlgos, 0n);
}

function unitsIn(state: State, assetId: bigint): bigint {
  return KEYS.reduce((sum, key) => sum + (state.holding(key, assetId)?.amount ?? 0n), 0n);
}

function expectAllAccountedFor(chain: Chain): void {
  const { state } = chain;
  expect(microAlgosIn(state)).toBe(3_000_200_000n);
  const counted = (['Offline', 'Online', 'Not Participating'] as const).map(
    (status) => state.money.of(status).microAlgos,
  );
  expect(counted.reduce((sum, each) => sum + each, 0n)).toBe(3_000_200_000n);
  for (const assetId of ASSETS) {
    const asset = state.asset(assetId);
    expect(asset === undefined ? TOTAL : unitsIn(state, assetId)).toBe(TOTAL);
  }
  for (const key of KEYS) {
    const { microAlgos } = state.account(key);
    if (microAlgos > 0n) expect(microAlgos).toBeGreaterThanOrEqual(minBalanceOf(state.account(key), chain.parameters));
    expect(state.account(key).totalAssets).toBe(state.holdingsOf(key).length);
    expect(state.account(key).totalCreatedAssets).toBe(state.assetsOf(key).length);
  }
}

describe('whatever groups are sent', () => {
  test('no µAlgo and no unit of an asset appears or disappears', () => {
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 10, maxLength: 25 }),
        (groups) => {
          const chain = chainWithAssets();
          let note = 0;
          for (const group of groups) {
            const block = chain.startBlock();
            const members = group.map((each) => member(chain, each, note++));
            if (block.add(members) === 'added') accepted++;
            chain.append(block, CLOCK);
            expectAllAccountedFor(chain);
          }
        },
      ),
      { numRuns: 60 },
    );
    expect(accepted).toBeGreaterThan(60);
  });

  test('the state of a past round is as it was then', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 4, maxLength: 4 }), (steps) => {
        const chain = chainWithAssets();
        const seen: { round: bigint; balances: bigint[]; units: bigint[] }[] = [];
        const look = (state: State, round: bigint): (typeof seen)[number] => ({
          round,
          balances: KEYS.map((key) => state.account(key).microAlgos),
          units: KEYS.map((key) => state.holding(key, 1001n)?.amount ?? -1n),
        });
        for (const [index, each] of steps.entries()) {
          seen.push(look(chain.state, chain.latest.round));
          const block = chain.startBlock();
          block.add([member(chain, each, index)]);
          chain.append(block, CLOCK);
        }
        for (const then of seen) {
          const state = chain.stateAt(then.round);
          if (state === undefined) throw new Error(`round ${then.round} is forgotten`);
          expect(look(state, then.round)).toEqual(then);
        }
      }),
      { numRuns: 100 },
    );
  });
});
