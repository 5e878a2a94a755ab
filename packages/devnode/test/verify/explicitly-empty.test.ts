import { MsgpackWriter } from '@avm402/algorand/msgpack-writer';
import { expect, test } from 'vitest';
import { transaction } from '../../src/codec/schema/transaction.ts';
import type { Node } from '../../src/node.ts';
import { signingMessage } from '../../src/verify/member.ts';
import { ALICE, testNode, unsigned } from '../chain-fixture.ts';

type Write = (writer: MsgpackWriter) => void;

/** A map with its fields as they are written, which no canonical encoding has to have. */
function map(fields: Readonly<Record<string, Write>>): Write {
  return (writer) => {
    writer.mapHeader(Object.keys(fields).length);
    for (const [key, write] of Object.entries(fields)) write(writer.text(key));
  };
}

const bytesOf =
  (value: Uint8Array): Write =>
  (writer) =>
    void writer.bytes(value);
const listOf =
  (...items: readonly Write[]): Write =>
  (writer) => {
    writer.arrayHeader(items.length);
    for (const write of items) write(writer);
  };

const NO_KEYS = map({ subsig: listOf() });
const PROGRAM = bytesOf(Buffer.from('0d8101', 'hex'));
const ANY_SIGNATURE = bytesOf(new Uint8Array(64).fill(1));

/** A payment of Alice with the given fields beside it, and her signature. */
function payment(node: Node, fields: Readonly<Record<string, Write>>, { signed = true } = {}): Write {
  const txn = unsigned(ALICE, node);
  const signature = bytesOf(ALICE.sign(signingMessage(txn)));
  return map({ ...(signed ? { sig: signature } : {}), ...fields, txn: (writer) => transaction.write(writer, txn) });
}

function written(write: Write): Uint8Array {
  const writer = new MsgpackWriter();
  write(writer);
  return writer.toBytes();
}

test.each([
  ['a multisig', { msig: NO_KEYS }, 'signedtxn should have only one type of signature'],
  ['a logic signature’s multisig', { lsig: map({ msig: NO_KEYS }) }, 'LogicSig fields without LogicSig program'],
  ['a logic multisig', { lsig: map({ lmsig: NO_KEYS }) }, 'LogicSig fields without LogicSig program'],
])('%s of explicitly no keys, beside a good signature, is refused', async (_, fields, refusal) => {
  const node = testNode();
  await expect(node.submitGroup(written(payment(node, fields)))).rejects.toThrow(refusal);
});

test('a delegation has one signature even if the other is a multisig of explicitly no keys', async () => {
  const node = testNode();
  const lsig = map({ l: PROGRAM, sig: ANY_SIGNATURE, lmsig: NO_KEYS });
  await expect(node.submitGroup(written(payment(node, { lsig }, { signed: false })))).rejects.toThrow(
    'LogicSig should have only one type of delegation signature',
  );
});

test('in a simulation without signatures, a multisig of explicitly no keys is a signature, and a wrong one', () => {
  const node = testNode();
  const group = map({ txns: listOf(payment(node, { msig: NO_KEYS }, { signed: false })) });
  const request = map({ 'txn-groups': listOf(group), 'allow-empty-signatures': (writer) => void writer.boolean(true) });
  expect(node.simulate(written(request)).toJson()).toContain(
    'multisig validation failed: Invalid number of signatures',
  );
});

test('an explicitly empty list of a program’s arguments is none', async () => {
  const node = testNode();
  await expect(node.submitGroup(written(payment(node, { lsig: map({ arg: listOf() }) })))).resolves.toHaveProperty(
    'txId',
  );
});
