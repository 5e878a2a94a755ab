import { describe, expect, test } from 'vitest';
import { applicationAddress } from '@avm402/teal/application';
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
async function unnamed(
  node: DevelopmentNode,
  calls: readonly Partial<Transaction>[],
): Promise<(object | string | undefined)[]> {
  const signed = calls.map((fields, index) =>
    sign(ALICE, unsigned(ALICE, node, { type: 'appl', fee: 10_000n, note: Buffer.of(index), ...fields })),
  );
  const transactions = decodeGroup(groupBytes(signed), { maxSize: 16, cut: false });
  const request = simulateRequest.of({ groups: [{ transactions }], allowUnnamedResources: true });
  const answer = await node.queries.simulate(encode(simulateRequest, request));
  const { 'txn-groups': groups } = JSON.parse(answer.toJson()) as { readonly 'txn-groups': readonly Answer[] };
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
  expect(await unnamed(node, [{ applicationId: shares }])).toEqual([{ assets: [777] }, undefined]);
  expect(await unnamed(node, [{ applicationId: shares }, { applicationId: older }])).toEqual([
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
  expect(await unnamed(node, [{ applicationId: older, foreignApps: [shares] }])).toEqual([
    { assets: [777] },
    undefined,
  ]);
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
  expect((await unnamed(node, full(16)))[0]).toBeUndefined();
  const none = full(16).map((fields) => ({ ...fields, boxes: [], foreignAssets: assets }));
  expect((await unnamed(node, none))[0]).toContain('read budget exceeded despite policy (0)');
});

describe('the references to boxes that a simulation adds', () => {
  const box = (name: string): { index: bigint; name: Uint8Array } => ({ index: 0n, name: Buffer.from(name) });
  const base64 = (name: string): string => Buffer.from(name).toString('base64');

  /** An application with money for boxes, and boxes of the given sizes. */
  async function stage(body: string, sizes: Readonly<Record<string, number>> = {}) {
    const node = testNode();
    const makes = 'txna ApplicationArgs 0; txna ApplicationArgs 1; btoi; box_create; return';
    const id = await create(node, 13, `txn NumAppArgs; bz works; ${makes}\nworks:\n${body}`);
    const submit = (fields: Partial<Transaction>): Promise<unknown> =>
      node.submissions.submit(signedBytes(node, fields));
    await submit({ receiver: applicationAddress(id), amount: 500_000_000n });
    const blanks = Array.from({ length: 7 }, () => ({ index: 0n, name: undefined }));
    for (const [name, size] of Object.entries(sizes)) {
      const applicationArgs = [Buffer.from(name), Buffer.from(size.toString(16).padStart(8, '0'), 'hex')];
      await submit({ type: 'appl', applicationId: id, applicationArgs, boxes: [box(name), ...blanks] });
    }
    return { node, id };
  }

  test('are one more where what is named reads as much as it adds, and the writes need the rest', async () => {
    const body = 'byte "new"; int 6144; box_create; pop; byte "small"; box_len; pop; pop';
    const { node, id } = await stage(body, { named: 2048, small: 100 });
    const boxes = ['new', 'small'].map((name) => ({ app: Number(id), name: base64(name) }));
    expect((await unnamed(node, [{ applicationId: id, boxes: [box('named')] }]))[0]).toEqual({
      boxes,
      'extra-box-refs': 1,
    });
    expect((await unnamed(node, [{ applicationId: id, boxes: [box('none')] }]))[0]).toEqual({ boxes });
  });

  test('stand in the message when all of them are not enough', async () => {
    const { node, id } = await stage(
      'int 9; loop: dup; itob; int 30000; box_create; pop; int 1; -; dup; bnz loop; pop',
    );
    expect((await unnamed(node, [{ applicationId: id }]))[0]).toContain(
      'write budget exceeded (270000 > 262144) while creating',
    );
    const three = Array.from({ length: 3 }, (_, index) => box(String(index)));
    expect((await unnamed(node, [{ applicationId: id, boxes: three }]))[0]).toContain('(270000 > 262144)');
  });
});
