import { MsgpackWriter } from '@avm402/algorand/msgpack-writer';
import { expect, test } from 'vitest';
import { encode } from '../../src/codec/document.ts';
import { signedTransaction, type SignedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import { transaction } from '../../src/codec/schema/transaction.ts';
import type { DevelopmentNode } from '../../src/development-node.ts';
import { ALICE, sign, testNode, unsigned } from '../chain-fixture.ts';
import { settledBufferBytes } from '../rest/heap.ts';

const FILLING = new Uint8Array(9_000_000);

/** Alice's creation of an asset. */
function creation(node: DevelopmentNode, number: number): SignedTransaction {
  const text = Buffer.from(`asset ${number}`);
  const assetParams = { ...transaction.zero.assetParams, total: 1n, name: text, url: text };
  return sign(ALICE, unsigned(ALICE, node, { type: 'acfg', assetParams }));
}

/** The transaction, and behind it the beginning of one with a long note, which is cut off and does not count. */
function withCutTail(signed: SignedTransaction): Uint8Array {
  const cut = new MsgpackWriter().mapHeader(2).text('txn').mapHeader(1).text('note').bytes(FILLING).toBytes();
  return Buffer.concat([encode(signedTransaction, signed), cut]);
}

/** The transaction, whose note was something else before, which does not count. */
function withOverwrittenNote(signed: SignedTransaction): Uint8Array {
  const writer = new MsgpackWriter().mapHeader(3).text('sig').bytes(signed.signature);
  writer.text('txn').mapHeader(2).text('note').bytes(FILLING).text('note').nil().text('txn');
  transaction.write(writer, signed.transaction);
  return writer.toBytes();
}

test.each([
  ['behind its transactions', withCutTail],
  ['for a field that is overwritten', withOverwrittenNote],
])('what a request holds %s is not kept with the asset that it creates', async (_, request) => {
  const node = testNode();
  const before = settledBufferBytes();
  for (let number = 0; number < 3; number++) await node.submissions.submit(request(creation(node, number)));
  expect(node.queries.latestRound).toBe(3n);
  expect(settledBufferBytes() - before).toBeLessThan(5_000_000);
});
