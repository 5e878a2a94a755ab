import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { localControls } from '../../src/dev/control-table.ts';
import { assetParams, type Transaction } from '../../src/codec/schema/transaction.ts';
import type { DevelopmentNode } from '../../src/development-node.ts';
import { answersOf, liveThrough } from '../state-file/rich-chain.ts';
import { addressOf, ALICE, BOB, CAROL, testAccount, testNode, uniquePayment } from '../chain-fixture.ts';

const FIRST_ASSET = 1001n;

type Step = (node: DevelopmentNode) => Promise<unknown>;

const submitted = (node: DevelopmentNode, bytes: Uint8Array): Promise<unknown> =>
  node.submissions.submit(bytes).catch(() => 'refused');

const window = (node: DevelopmentNode) => ({
  firstValid: node.queries.latestRound,
  lastValid: node.queries.latestRound + 1000n,
});

/** Whatever may happen to a chain. Some steps are refused, as things are by then. */
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom(BOB, CAROL, testAccount(9)).map((receiver): Step => {
    const fields = { receiver: addressOf(receiver), amount: 200_000n };
    return (node) => submitted(node, uniquePayment(node, { ...window(node), ...fields }));
  }),
  fc.constant((node: DevelopmentNode) =>
    submitted(node, uniquePayment(node, { ...window(node), lease: new Uint8Array(32).fill(7) })),
  ),
  fc.constant((node: DevelopmentNode) =>
    submitted(node, uniquePayment(node, { ...window(node), type: 'acfg', assetParams: assetParams.of({ total: 9n }) })),
  ),
  fc.constant((node: DevelopmentNode) => {
    const bob = addressOf(BOB);
    const optIn = { type: 'axfer', transferAsset: FIRST_ASSET, assetReceiver: bob };
    return submitted(node, uniquePayment(node, { ...window(node), ...optIn }, BOB));
  }),
  fc.constant((node: DevelopmentNode) =>
    localControls(node)
      .deal(CAROL.address, FIRST_ASSET, 2n)
      .catch(() => 'refused'),
  ),
  fc.constant(async (node: DevelopmentNode) => localControls(node).setAuthAddress(CAROL.address, ALICE.address)),
  fc.constantFrom(1, 3, 1001).map(
    (rounds): Step =>
      (node) =>
        node.controls.mine(rounds),
  ),
);

/** The state as a file, as text to be compared, and what is derived from it as it changes. */
function everythingOf({ controls, queries, counters }: DevelopmentNode): unknown {
  const accounts = [ALICE, BOB, CAROL, testAccount(9)].map((account) => queries.account(addressOf(account)));
  const file = Buffer.from(controls.dump()).toString('base64');
  return { file, accounts, supply: queries.supply(), waiting: counters.poolTransactions };
}

const steps = fc.array(step, { maxLength: 8 });

describe('a return to a snapshot', () => {
  test('brings back everything, whatever has happened in between, and the same again after that', () =>
    fc.assert(
      fc.asyncProperty(steps, steps, steps, async (before, between, after) => {
        const node = testNode();
        const all = async (list: readonly Step[]): Promise<void> => {
          for (const each of list) await each(node);
        };
        await all(before);
        const { id } = node.controls.takeSnapshot();
        const known = everythingOf(node);
        for (const later of [between, after]) {
          await all(later);
          node.controls.revert(id);
          expect(everythingOf(node)).toEqual(known);
        }
        node.controls.reset();
        expect(node.queries.latestRound).toBe(0n);
        expect(everythingOf(node)).toEqual(everythingOf(testNode()));
        node.close();
      }),
      { numRuns: 40 },
    ));

  test('forbids again what was used up before it, and allows what was used up since', async () => {
    const node = testNode();
    const [before, since] = [uniquePayment(node), uniquePayment(node)];
    await node.submissions.submit(before);
    const { id } = node.controls.takeSnapshot();
    await node.submissions.submit(since);
    // The tail forgets what is older than a transaction can live; a return must remember it.
    await node.controls.mine(1100);
    node.controls.revert(id);
    await expect(node.submissions.submit(before)).rejects.toThrow('already in ledger');
    await expect(node.submissions.submit(since)).resolves.toBeDefined();
    node.close();
  });

  test('brings back a holding that was closed and an asset that was destroyed since', async () => {
    const node = testNode();
    const submit = (fields: Partial<Transaction>, signer = ALICE) =>
      node.submissions.submit(uniquePayment(node, fields, signer));
    await submit({ type: 'acfg', assetParams: assetParams.of({ total: 9n, manager: addressOf(ALICE) }) });
    const transfer = { type: 'axfer', transferAsset: FIRST_ASSET } as const;
    await submit({ ...transfer, assetReceiver: addressOf(BOB) }, BOB);
    const known = everythingOf(node);
    const { id } = node.controls.takeSnapshot();
    await submit({ ...transfer, assetReceiver: addressOf(ALICE), assetCloseTo: addressOf(ALICE) }, BOB);
    await submit({ type: 'acfg', configAsset: FIRST_ASSET });
    expect(everythingOf(node)).not.toEqual(known);
    node.controls.revert(id);
    expect(everythingOf(node)).toEqual(known);
    node.close();
  });

  test('is refused for a snapshot too many', () => {
    const node = testNode();
    for (let count = 0; count < 1000; count++) node.controls.takeSnapshot();
    expect(() => node.controls.takeSnapshot()).toThrow('revert to an early one first');
    node.controls.revert(1);
    expect(node.controls.takeSnapshot().id).toBe(1001);
    node.close();
  });

  test('brings back applications, their boxes and the accounts in them', async () => {
    const node = testNode();
    const empty = node.controls.takeSnapshot();
    await liveThrough(node);
    const before = answersOf(node);
    const full = node.controls.takeSnapshot();
    const [[applicationId] = [0n]] = node.queries.account(addressOf(ALICE)).applications;
    const member = testAccount(4);
    const close = { type: 'appl', applicationId, onCompletion: 3n };
    await node.submissions.submit(uniquePayment(node, { ...window(node), ...close }, member));
    expect(node.queries.account(addressOf(member)).localStates).toEqual([]);
    node.controls.revert(full.id);
    expect(answersOf(node)).toEqual(before);
    node.controls.revert(empty.id);
    expect(node.queries.application(applicationId)).toBeUndefined();
    expect(node.queries.boxes.names(applicationId)).toEqual([]);
    node.close();
  });
});

test('a return to a snapshot when all is mined refuses nothing', async () => {
  const node = testNode();
  const { id } = node.controls.takeSnapshot();
  const mined = node.controls.mine(100);
  node.controls.revert(id);
  await mined;
  expect(node.queries.latestRound).toBe(0n);
});

test('a return to a snapshot ends what is being mined', async () => {
  const node = testNode();
  const { id } = node.controls.takeSnapshot();
  const mined = expect(node.controls.mine(1000)).rejects.toThrow('the chain was replaced after 100 of 1000 rounds');
  node.controls.revert(id);
  await mined;
  expect(node.queries.latestRound).toBe(0n);
});
