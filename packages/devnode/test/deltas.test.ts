import { formatAddress } from '@avm402/algorand/address';
import { applicationAddress } from '@avm402/teal/application';
import { assemble } from '@avm402/teal/assemble';
import { afterEach, describe, expect, test } from 'vitest';
import { assetParams } from '../src/codec/schema/transaction.ts';
import { localControls } from '../src/dev/control-table.ts';
import type { DevelopmentNode } from '../src/development-node.ts';
import { addressOf, ALICE, BOB, signedBytes, testNode, uniquePayment } from './chain-fixture.ts';

const ASSET = 1001n;

interface Delta {
  readonly Txleases: unknown;
  readonly KvMods: object | null;
  readonly Accts: { readonly Accts: readonly { readonly Addr: string }[]; readonly AssetResources: unknown };
}

describe('the delta of a round', () => {
  let node: DevelopmentNode | undefined;
  afterEach(() => node?.close());

  test('stays what it was when later rounds change and destroy its asset', async () => {
    node = testNode();
    const alice = addressOf(ALICE);
    const submit = (fields: Parameters<typeof uniquePayment>[1], signer = ALICE): Promise<unknown> =>
      (node ?? testNode()).submissions.submit(signedBytes(node ?? testNode(), fields, signer));
    await submit({ type: 'acfg', assetParams: assetParams.of({ total: 10n, manager: alice }) });
    await submit({ type: 'axfer', transferAsset: ASSET, assetReceiver: addressOf(BOB) }, BOB);
    await submit({ type: 'axfer', transferAsset: ASSET, assetAmount: 4n, assetReceiver: addressOf(BOB) });
    const [created, , moved] = [1n, 2n, 3n].map((round) => node?.queries.stateDelta(round).toJson());
    await submit({ type: 'acfg', configAsset: ASSET, assetParams: assetParams.of({ manager: addressOf(BOB) }) });
    expect([1n, 3n].map((round) => node?.queries.stateDelta(round).toJson())).toEqual([created, moved]);
  });

  test('shows no lease in JSON, and the holding of an asset whose parameters alone changed', async () => {
    node = testNode();
    const manager = addressOf(ALICE);
    await node.submissions.submit(
      uniquePayment(node, { type: 'acfg', assetParams: assetParams.of({ total: 10n, manager }) }),
    );
    await node.submissions.submit(
      uniquePayment(node, {
        type: 'acfg',
        configAsset: ASSET,
        assetParams: assetParams.of({ manager: addressOf(BOB) }),
        lease: new Uint8Array(32).fill(7),
      }),
    );
    const delta = JSON.parse(node.queries.stateDelta(2n).toJson()) as Delta;
    expect(delta.Txleases).toBeNull();
    expect(delta.Accts.AssetResources).toEqual([
      {
        Addr: ALICE.address,
        Aidx: Number(ASSET),
        Holding: { Deleted: false, Holding: { a: 10 } },
        Params: { Deleted: false, Params: { m: BOB.address, t: 10 } },
      },
    ]);
  });

  test('is written even if controls have created more money than 64 bits can say', async () => {
    node = testNode();
    const most = 2n ** 64n - 1n;
    await localControls(node).fund(formatAddress(new Uint8Array(32).fill(9)), most);
    const delta = node.queries.stateDelta(1n);
    expect(delta.toMsgpack().length).toBeGreaterThan(1000);
    expect(delta.toJson()).toContain(`"mon": ${most}`);
    expect(node.queries.supply().totalMoney).toBe(most);
  });

  test('does not take an asset for deleted in a round before it was', async () => {
    node = testNode();
    const alice = addressOf(ALICE);
    await node.submissions.submit(
      uniquePayment(node, { type: 'acfg', assetParams: assetParams.of({ total: 10n, manager: alice }) }),
    );
    const created = node.queries.stateDelta(1n).toJson();
    await node.submissions.submit(uniquePayment(node, { type: 'acfg', configAsset: ASSET }));
    expect(node.queries.stateDelta(1n).toJson()).toBe(created);
    expect(node.queries.stateDelta(2n).toJson()).toContain('"Deleted": true');
  });

  test('shows the account of an application that gives a box the size that it has', async () => {
    node = testNode();
    const { submissions } = node;
    const [chain, boxes] = [node, [{ index: 0n, name: Buffer.from('b') }]];
    const programOf = (body: string): Uint8Array => assemble(`#pragma version 10\n${body}`).program;
    const resizes = 'byte "b"; int 8; txn NumAppArgs; bz made; box_resize; int 1; return\nmade: box_create';
    const approvalProgram = programOf(`txn ApplicationID; bz created; ${resizes}; return\ncreated: int 1`);
    const submit = (fields: Parameters<typeof uniquePayment>[1]): Promise<unknown> =>
      submissions.submit(uniquePayment(chain, fields));
    await submit({ type: 'appl', approvalProgram, clearStateProgram: programOf('int 1') });
    await submit({ receiver: applicationAddress(1001n), amount: 1_000_000n });
    await submit({ type: 'appl', applicationId: 1001n, boxes });
    await submit({ type: 'appl', applicationId: 1001n, boxes, applicationArgs: [Buffer.from('resize')] });
    const [created, resized] = [3n, 4n].map((round) => JSON.parse(chain.queries.stateDelta(round).toJson()) as Delta);
    expect(Object.values(resized?.KvMods ?? {})).toEqual([{ Data: 'AAAAAAAAAAA=', OldData: 'AAAAAAAAAAA=' }]);
    const addresses = (delta: Delta | undefined): unknown[] | undefined => delta?.Accts.Accts.map(({ Addr }) => Addr);
    expect(addresses(resized)).toEqual(addresses(created));
    expect(addresses(resized)).toContain(formatAddress(applicationAddress(1001n)));
  });
});
