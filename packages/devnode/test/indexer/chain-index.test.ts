import { applicationAddress } from '@avm402/teal/application';
import { expect, test } from 'vitest';
import type { Transaction } from '../../src/codec/schema/transaction.ts';
import { addressOf, BOB, testNode, uniquePayment } from '../chain-fixture.ts';
import { programOf } from '../ledger/application-stage.ts';

const ISSUER = programOf(`txn ApplicationID; bz created
itxn_begin; int acfg; itxn_field TypeEnum; int 10; itxn_field ConfigAssetTotal; itxn_submit
created: int 1`);

test('an asset that a program created is as old as its creation, though a transfer has named it before', async () => {
  const node = testNode();
  const submit = (fields: Partial<Transaction>) => node.submissions.submit(uniquePayment(node, fields));
  await submit({ type: 'appl', approvalProgram: ISSUER, clearStateProgram: programOf('int 1') });
  await submit({ receiver: applicationAddress(1001n), amount: 1_000_000n });
  await submit({ type: 'axfer', transferAsset: 1005n, assetReceiver: addressOf(BOB) });
  await submit({ type: 'appl', applicationId: 1001n, fee: 2000n });
  const index = node.openIndex();
  await index.follow();
  expect(node.queries.asset(1005n)?.params.total).toBe(10n);
  expect(index.assetRound(1005n)).toBe(4n);
  node.close();
});
