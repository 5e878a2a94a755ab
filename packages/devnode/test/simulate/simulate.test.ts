import { assemble } from '@avm402/teal/assemble';
import { programAddress } from '@avm402/teal/program-address';
import { describe, expect, test } from 'vitest';
import { decodeGroup } from '../../src/codec/decode-group.ts';
import { encode } from '../../src/codec/document.ts';
import { simulateRequest, type SimulateRequest } from '../../src/codec/schema/simulate.ts';
import {
  logicSignature,
  signedTransaction,
  type SignedTransaction,
} from '../../src/codec/schema/signed-transaction.ts';
import type { DevelopmentNode } from '../../src/development-node.ts';
import { assetParams, type Transaction } from '../../src/codec/schema/transaction.ts';
import {
  addressOf,
  ALICE,
  balanceOf,
  BOB,
  CAROL,
  groupBytes,
  sign,
  signedBytes,
  testGenesis,
  testNode,
  unsigned,
} from '../chain-fixture.ts';

interface Result {
  readonly 'last-round': number;
  readonly 'txn-groups': readonly {
    readonly 'failure-message'?: string;
    readonly 'failed-at'?: number[];
    readonly 'app-budget-added'?: number;
    readonly 'txn-results': readonly {
      readonly 'txn-result': Readonly<Record<string, unknown>>;
      readonly 'exec-trace'?: { readonly 'logic-sig-trace': readonly unknown[] };
    }[];
  }[];
}

async function simulate(
  node: DevelopmentNode,
  group: readonly SignedTransaction[],
  options: Partial<SimulateRequest> = {},
): Promise<Result> {
  const request = simulateRequest.of({ groups: [{ transactions: group }], ...options });
  const answer = await node.queries.simulate(encode(simulateRequest, request));
  return JSON.parse(answer.toJson()) as Result;
}

test('JSON with a key too large for 64 bits is refused as any other JSON that can’t be read', async () => {
  const json = '{"txn-groups":[{"txns":[{"txn":{"type":"pay","sp":{"r":{"99999999999999999999":{}}}}}]}]}';
  const problem = /^failed to decode object: json decode error \[pos \d+\]: overflow parsing unsigned integer: 9{20}$/;
  const refused = expect.objectContaining({ status: 400, message: expect.stringMatching(problem) });
  await expect(testNode().queries.simulate(Buffer.from(json))).rejects.toThrow(refused);
});

const ALL_BUT_FEE = { amount: 1_000_000_000n - 100_000n - 1000n };

describe('simulating a group', () => {
  test('changes nothing, however often', async () => {
    const node = testNode();
    const payment = sign(ALICE, unsigned(ALICE, node, ALL_BUT_FEE));
    for (let count = 0; count < 3; count++) {
      expect((await simulate(node, [payment]))['txn-groups'][0]).not.toHaveProperty('failure-message');
    }
    expect(node.queries.latestRound).toBe(0n);
    expect(balanceOf(node, ALICE)).toBe(1_000_000_000n);
    await expect(node.submissions.submit(encode(signedTransaction, payment))).resolves.toHaveProperty('txId');
  });

  test('finds in the past what was there then, as far as it is remembered', async () => {
    const node = testNode({ maxAcctLookback: 2 });
    const spends = sign(ALICE, unsigned(ALICE, node, { amount: 600_000_000n, note: Buffer.from('later') }));
    await node.submissions.submit(signedBytes(node, { note: Buffer.from('1') }));
    await node.submissions.submit(signedBytes(node, { amount: 600_000_000n }));
    expect((await simulate(node, [spends]))['txn-groups'][0]?.['failure-message']).toContain('overspend');
    const past = await simulate(node, [spends], { round: 1n });
    expect(past['last-round']).toBe(1);
    expect(past['txn-groups'][0]).not.toHaveProperty('failure-message');
    await node.controls.mine(2);
    const refused = expect.objectContaining({ status: 500, message: expect.stringContaining('before dbRound') });
    await expect(simulate(node, [spends], { round: 1n })).rejects.toThrow(refused);
  });

  test('finds a lease in the past free that was taken later, and held that was held then', async () => {
    const node = testNode();
    const lease = new Uint8Array(32).fill(9);
    const holder = { lease, lastValid: 3n, note: Buffer.from('holder') };
    const other = sign(ALICE, unsigned(ALICE, node, { lease, note: Buffer.from('other') }));
    const failureAt = async (round: bigint): Promise<string> =>
      (await simulate(node, [other], { round }))['txn-groups'][0]?.['failure-message'] ?? 'none';
    await node.controls.mine(1);
    await node.submissions.submit(signedBytes(node, holder));
    await node.controls.mine(3);
    await node.submissions.submit(signedBytes(node, { ...holder, lastValid: 100n, note: Buffer.from('again') }));
    expect(node.queries.latestRound).toBe(6n);
    const overlapping = expect.stringContaining('using an overlapping lease');
    expect(await Promise.all([2n, 3n, 4n, 6n].map(failureAt))).toEqual([overlapping, 'none', 'none', overlapping]);
  });

  test('is of the state after the blocks that came while its signatures were verified', async () => {
    const node = testNode();
    const simulated = simulate(node, [sign(ALICE, unsigned(ALICE, node))]);
    await node.controls.mine(1);
    expect(await simulated).toHaveProperty('last-round', 1);
  });

  test('does not see what waits in the pool', async () => {
    const node = testNode({ blocks: 'manual' });
    await node.submissions.submit(signedBytes(node, { amount: 600_000_000n }));
    const spends = sign(ALICE, unsigned(ALICE, node, { amount: 600_000_000n, note: Buffer.from('other') }));
    expect((await simulate(node, [spends]))['txn-groups'][0]).not.toHaveProperty('failure-message');
  });

  test('gives unsigned members the signer that a rekey in the group gives them', async () => {
    const node = testNode();
    const rekey = unsigned(ALICE, node, { rekeyTo: addressOf(BOB) });
    const after = unsigned(ALICE, node, { amount: 2n });
    const group = [rekey, after].map((transaction) => signedTransaction.of({ transaction }));
    const options = { allowEmptySignatures: true, fixSigners: true };
    expect((await simulate(node, group.slice(1), options))['txn-groups'][0]).not.toHaveProperty('failure-message');
    expect((await simulate(node, group, options))['txn-groups'][0]?.['failure-message']).toContain('had zero Group');
  });

  test('gives the members after a call no signers if no program ran, because the application is gone', async () => {
    const node = testNode();
    const { program } = assemble('#pragma version 10\nint 1');
    const creation = { type: 'appl', approvalProgram: program, clearStateProgram: program };
    await node.submissions.submit(signedBytes(node, creation));
    const call = { type: 'appl', applicationId: 1001n };
    for (const signer of [ALICE, BOB]) {
      await node.submissions.submit(signedBytes(node, { ...call, onCompletion: 1n }, signer));
    }
    await node.submissions.submit(signedBytes(node, { rekeyTo: addressOf(ALICE) }, CAROL));
    const clear = unsigned(BOB, node, { ...call, onCompletion: 3n });
    const group = decodeGroup(
      groupBytes([clear, unsigned(CAROL, node)].map((transaction) => signedTransaction.of({ transaction }))),
      { maxSize: 16, cut: false },
    );
    const simulated = async (): Promise<string | undefined> =>
      (await simulate(node, group, { allowEmptySignatures: true, fixSigners: true }))['txn-groups'][0]?.[
        'failure-message'
      ];
    expect(await simulated()).toBeUndefined();
    await node.submissions.submit(signedBytes(node, { ...call, onCompletion: 5n }));
    expect(await simulated()).toContain(
      `should have been authorized by ${ALICE.address} but was actually authorized by ${CAROL.address}`,
    );
  });

  test('judges a signer that is the sender, of an unsigned member, as the authorizer that the account has or has not', async () => {
    const node = testNode();
    const unsignedBySender = (): SignedTransaction =>
      signedTransaction.of({ transaction: unsigned(ALICE, node), authAddress: addressOf(ALICE) });
    const simulated = async (): Promise<string | undefined> =>
      (await simulate(node, [unsignedBySender()], { allowEmptySignatures: true }))['txn-groups'][0]?.[
        'failure-message'
      ];
    expect(await simulated()).toBeUndefined();
    await node.submissions.submit(signedBytes(node, { rekeyTo: addressOf(BOB) }));
    expect(await simulated()).toContain(
      `should have been authorized by ${BOB.address} but was actually authorized by ${ALICE.address}`,
    );
  });

  test('needs the developer interface to trace', async () => {
    const node = testNode({ developerApi: false });
    const payment = sign(ALICE, unsigned(ALICE, node));
    const traceConfig = { enable: true, stackChange: false, scratchChange: false, stateChange: false };
    await expect(simulate(node, [payment], { traceConfig })).rejects.toThrow('has `EnableDeveloperAPI` turned off');
  });

  test('refuses a trace that can’t be before it looks for a round that is not there', async () => {
    const node = testNode();
    const payment = sign(ALICE, unsigned(ALICE, node));
    const traceConfig = { enable: false, stackChange: true, scratchChange: false, stateChange: false };
    const refused = expect.objectContaining({ status: 400, message: expect.stringContaining('basic trace must be') });
    await expect(simulate(node, [payment], { traceConfig, round: 9n })).rejects.toThrow(refused);
    await expect(simulate(node, [payment], { round: 9n })).rejects.toThrow('ledger does not have entry 9');
  });

  test('tells of an instruction that reaches above its stack that it takes fewer values than none', async () => {
    const node = testNode();
    // pushint 1; callsub to the next instruction; frame_bury N
    const stepOf = async (above: number): Promise<unknown> => {
      const logic = Uint8Array.from([8, 0x81, 1, 0x88, 0, 0, 0x8c, above]);
      const transaction = unsigned(ALICE, node, { sender: programAddress(logic) });
      const program = signedTransaction.of({ transaction, logicSignature: logicSignature.of({ logic }) });
      const traceConfig = { enable: true, stackChange: true, scratchChange: false, stateChange: false };
      const [group] = (await simulate(node, [program], { traceConfig }))['txn-groups'];
      expect(group?.['failure-message']).toContain('frame_bury above stack');
      return group?.['txn-results'][0]?.['exec-trace']?.['logic-sig-trace'].at(-1);
    };
    expect(await stepOf(5)).toEqual({ pc: 6, 'stack-pop-count': -5 });
    expect(await stepOf(1)).toEqual({ pc: 6, 'stack-pop-count': -1 });
    expect(await stepOf(0)).toEqual({ pc: 6 });
  });

  test('adds fees up to the greatest number there is', async () => {
    const node = testNode();
    const member = unsigned(ALICE, node, { fee: 2n ** 64n - 1n });
    const request = simulateRequest.of({ groups: [{ transactions: [sign(ALICE, member), sign(ALICE, member)] }] });
    const answer = await node.queries.simulate(encode(simulateRequest, request));
    expect(answer.toJson()).toContain(`"group-fees-paid": ${2n ** 64n - 1n},`);
  });

  test('tells the budget that calls add to their group as soon as it is evaluated', async () => {
    const node = testNode();
    const call = unsigned(ALICE, node, { type: 'appl', applicationId: 5n });
    const added = async (transaction: Transaction, extraOpcodeBudget = 0n): Promise<unknown> =>
      (await simulate(node, [sign(ALICE, transaction)], { extraOpcodeBudget }))['txn-groups'][0]?.['app-budget-added'];
    expect(await added(call)).toBe(700);
    expect(await added(call, 300n)).toBe(1000);
    expect(await added({ ...call, onCompletion: 9n })).toBeUndefined();
    expect(await added(unsigned(ALICE, node), 300n)).toBeUndefined();
  });

  test('reads no more than a megabyte', async () => {
    await expect(testNode().queries.simulate(new Uint8Array(1_000_001))).rejects.toThrow(
      'http: request body too large',
    );
  });
});

describe('a transaction that is refused', () => {
  const CREATION = { type: 'acfg', assetParams: assetParams.of({ total: 10n, freeze: addressOf(ALICE) }) };

  /** What is told of a transaction, which is refused with this reason. */
  async function toldOf(
    node: DevelopmentNode,
    reason: string,
    fields: Partial<Transaction>,
    signer = ALICE,
  ): Promise<Record<string, unknown>> {
    const [group] = (await simulate(node, [sign(signer, unsigned(signer, node, fields))]))['txn-groups'];
    expect(group?.['failure-message']).toContain(reason);
    return group?.['txn-results'][0]?.['txn-result'] ?? {};
  }

  test('tells the asset that it made before the balance was found too low', async () => {
    const node = testNode({ genesis: testGenesis({ alice: { algo: 101_000 } }) });
    expect(await toldOf(node, 'below min 200000', CREATION)).toHaveProperty('asset-index', 1001);
  });

  test('tells what it would have closed out before it was found that it can’t', async () => {
    const node = testNode();
    await node.submissions.submit(signedBytes(node, CREATION));
    const close = { closeRemainderTo: addressOf(BOB) };
    const told = await toldOf(node, 'cannot close: 1 outstanding assets', close);
    expect(told).toHaveProperty('closing-amount', 1_000_000_000 - 2 * 1000 - 1);
  });

  test('tells what it would have closed out of a frozen holding', async () => {
    const node = testNode();
    const [transferAsset, assetReceiver] = [1001n, addressOf(BOB)];
    await node.submissions.submit(signedBytes(node, CREATION));
    await node.submissions.submit(signedBytes(node, { type: 'axfer', transferAsset, assetReceiver }, BOB));
    await node.submissions.submit(signedBytes(node, { type: 'axfer', transferAsset, assetReceiver, assetAmount: 4n }));
    const freeze = { type: 'afrz', freezeAsset: 1001n, freezeAccount: addressOf(BOB), assetFrozen: true };
    await node.submissions.submit(signedBytes(node, freeze));
    const close = { type: 'axfer', transferAsset, assetCloseTo: addressOf(CAROL) };
    expect(await toldOf(node, 'frozen', close, BOB)).toHaveProperty('asset-closing-amount', 4);
  });

  test('before it did anything tells nothing of the kind', async () => {
    const node = testNode();
    const told = await toldOf(node, 'overspend', { amount: 10n ** 12n, closeRemainderTo: addressOf(BOB) });
    expect(told).not.toHaveProperty('closing-amount');
  });
});
