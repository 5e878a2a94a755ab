import { describe, expect, test } from 'vitest';
import { encode } from '../../src/codec/document.ts';
import { simulateRequest, type SimulateRequest } from '../../src/codec/schema/simulate.ts';
import { signedTransaction, type SignedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import type { Node } from '../../src/node.ts';
import { addressOf, ALICE, balanceOf, BOB, sign, signedBytes, testNode, unsigned } from '../chain-fixture.ts';

interface Result {
  readonly 'last-round': number;
  readonly 'txn-groups': readonly { readonly 'failure-message'?: string; readonly 'failed-at'?: number[] }[];
}

function simulate(node: Node, group: readonly SignedTransaction[], options: Partial<SimulateRequest> = {}): Result {
  const request = simulateRequest.of({ groups: [{ transactions: group }], ...options });
  return JSON.parse(node.simulate(encode(simulateRequest, request)).toJson()) as Result;
}

const ALL_BUT_FEE = { amount: 1_000_000_000n - 100_000n - 1000n };

describe('simulating a group', () => {
  test('changes nothing, however often', async () => {
    const node = testNode();
    const payment = sign(ALICE, unsigned(ALICE, node, ALL_BUT_FEE));
    for (let count = 0; count < 3; count++) {
      expect(simulate(node, [payment])['txn-groups'][0]).not.toHaveProperty('failure-message');
    }
    expect(node.latestRound).toBe(0n);
    expect(balanceOf(node, ALICE)).toBe(1_000_000_000n);
    await expect(node.submitGroup(encode(signedTransaction, payment))).resolves.toHaveProperty('txId');
  });

  test('finds in the past what was there then, as far as it is remembered', async () => {
    const node = testNode({ maxAcctLookback: 2 });
    const spends = sign(ALICE, unsigned(ALICE, node, { amount: 600_000_000n, note: Buffer.from('later') }));
    await node.submitGroup(signedBytes(node, { note: Buffer.from('1') }));
    await node.submitGroup(signedBytes(node, { amount: 600_000_000n }));
    expect(simulate(node, [spends])['txn-groups'][0]?.['failure-message']).toContain('overspend');
    const past = simulate(node, [spends], { round: 1n });
    expect(past['last-round']).toBe(1);
    expect(past['txn-groups'][0]).not.toHaveProperty('failure-message');
    await node.mine(2);
    const refused = expect.objectContaining({ status: 500, message: expect.stringContaining('before dbRound') });
    expect(() => simulate(node, [spends], { round: 1n })).toThrow(refused);
  });

  test('does not see what waits in the pool', async () => {
    const node = testNode({ blocks: 'manual' });
    await node.submitGroup(signedBytes(node, { amount: 600_000_000n }));
    const spends = sign(ALICE, unsigned(ALICE, node, { amount: 600_000_000n, note: Buffer.from('other') }));
    expect(simulate(node, [spends])['txn-groups'][0]).not.toHaveProperty('failure-message');
  });

  test('gives unsigned members the signer that a rekey in the group gives them', () => {
    const node = testNode();
    const rekey = unsigned(ALICE, node, { rekeyTo: addressOf(BOB) });
    const after = unsigned(ALICE, node, { amount: 2n });
    const group = [rekey, after].map((transaction) => signedTransaction.of({ transaction }));
    const options = { allowEmptySignatures: true, fixSigners: true };
    expect(simulate(node, group.slice(1), options)['txn-groups'][0]).not.toHaveProperty('failure-message');
    expect(simulate(node, group, options)['txn-groups'][0]?.['failure-message']).toContain('had zero Group');
  });

  test('needs the developer interface to trace', () => {
    const node = testNode({ developerApi: false });
    const payment = sign(ALICE, unsigned(ALICE, node));
    const traceConfig = { enable: true, stackChange: false, scratchChange: false, stateChange: false };
    expect(() => simulate(node, [payment], { traceConfig })).toThrow('has `EnableDeveloperAPI` turned off');
  });

  test('reads no more than a megabyte', () => {
    expect(() => testNode().simulate(new Uint8Array(1_000_001))).toThrow('http: request body too large');
  });
});
