import { expect, test } from 'vitest';
import { assemble } from '@avm402/teal/assemble';
import { encode } from '../../src/codec/document.ts';
import { simulateRequest } from '../../src/codec/schema/simulate.ts';
import type { Transaction } from '../../src/codec/schema/transaction.ts';
import type { DevelopmentNode } from '../../src/development-node.ts';
import { ALICE, groupBytes, sign, signedBytes, testNode, unsigned } from '../chain-fixture.ts';
import { decodeGroup } from '../../src/codec/decode-group.ts';

const programOf = (version: number, body: string): Uint8Array =>
  assemble(`#pragma version ${version}\n${body}`).program;

/** Creates an application that does something when it is called. */
async function create(node: DevelopmentNode, version: number, body: string): Promise<bigint> {
  const approvalProgram = programOf(version, `txn ApplicationID; bz made\n${body}\nmade: int 1`);
  const clearStateProgram = programOf(version, 'int 1');
  await node.submissions.submit(signedBytes(node, { type: 'appl', approvalProgram, clearStateProgram }));
  return 1000n + node.queries.latestRound;
}

interface Answer {
  readonly 'failure-message'?: string;
  readonly 'unnamed-resources-accessed'?: object;
  readonly 'txn-results': readonly { readonly 'unnamed-resources-accessed'?: object }[];
}

/** The resources that a simulation of calls reports: of the group, then of each member. */
function unnamed(node: DevelopmentNode, calls: readonly Partial<Transaction>[]): (object | string | undefined)[] {
  const signed = calls.map((fields, index) =>
    sign(ALICE, unsigned(ALICE, node, { type: 'appl', fee: 10_000n, note: Buffer.of(index), ...fields })),
  );
  const transactions = decodeGroup(groupBytes(signed), { maxSize: 16, cut: false });
  const request = simulateRequest.of({ groups: [{ transactions }], allowUnnamedResources: true });
  const text = node.queries.simulate(encode(simulateRequest, request)).toJson();
  const { 'txn-groups': groups } = JSON.parse(text) as { readonly 'txn-groups': readonly Answer[] };
  const key = 'unnamed-resources-accessed';
  return groups.flatMap((group) => [
    group['failure-message'] ?? group[key],
    ...group['txn-results'].map((one) => one[key]),
  ]);
}

const LOOK = 'int 777; asset_params_get AssetTotal; pop; pop';

test('what an older program uses is its own, though one that shares has used it before', async () => {
  const node = testNode();
  const [shares, older] = [await create(node, 13, LOOK), await create(node, 8, LOOK)];
  expect(unnamed(node, [{ applicationId: shares }])).toEqual([{ assets: [777] }, undefined]);
  expect(unnamed(node, [{ applicationId: shares }, { applicationId: older }])).toEqual([
    undefined,
    undefined,
    { assets: [777] },
  ]);
});

test('what an older program uses after a call of one that shares is the group’s', async () => {
  const node = testNode();
  const shares = await create(node, 13, '');
  const call = `itxn_begin; int appl; itxn_field TypeEnum; int ${shares}; itxn_field ApplicationID; itxn_submit`;
  const older = await create(node, 8, `${call}\n${LOOK}`);
  expect(unnamed(node, [{ applicationId: older, foreignApps: [shares] }])).toEqual([{ assets: [777] }, undefined]);
});

test('a group that is full can read no box, however small', async () => {
  const node = testNode();
  const id = await create(node, 13, '');
  const names = Array.from({ length: 8 }, (_, index) => ({ index: 0n, name: Buffer.of(index) }));
  const assets = Array.from({ length: 8 }, (_, index) => BigInt(1000 + index));
  const full = (count: number): Partial<Transaction>[] =>
    Array.from({ length: count }, (_, index) => ({
      applicationId: id,
      ...(index > 0 ? { foreignAssets: assets } : { boxes: names }),
    }));
  expect(unnamed(node, full(16))[0]).toBeUndefined();
  const none = full(16).map((fields) => ({ ...fields, boxes: [], foreignAssets: assets }));
  expect(unnamed(node, none)[0]).toContain('read budget exceeded despite policy (0)');
});
