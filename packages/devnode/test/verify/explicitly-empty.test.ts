import { MsgpackWriter } from '@avm402/algorand/msgpack-writer';
import { expect, test } from 'vitest';
import { encode } from '../../src/codec/document.ts';
import { transaction } from '../../src/codec/schema/transaction.ts';
import type { DevelopmentNode } from '../../src/development-node.ts';
import { signingMessage } from '../../src/transaction/member.ts';
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
function payment(node: DevelopmentNode, fields: Readonly<Record<string, Write>>, { signed = true } = {}): Write {
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
  await expect(node.submissions.submit(written(payment(node, fields)))).rejects.toThrow(refusal);
});

test('a delegation has one signature even if the other is a multisig of explicitly no keys', async () => {
  const node = testNode();
  const lsig = map({ l: PROGRAM, sig: ANY_SIGNATURE, lmsig: NO_KEYS });
  await expect(node.submissions.submit(written(payment(node, { lsig }, { signed: false })))).rejects.toThrow(
    'LogicSig should have only one type of delegation signature',
  );
});

test('in a simulation without signatures, a multisig of explicitly no keys is a signature, and a wrong one', async () => {
  const node = testNode();
  const group = map({ txns: listOf(payment(node, { msig: NO_KEYS }, { signed: false })) });
  const request = map({ 'txn-groups': listOf(group), 'allow-empty-signatures': (writer) => void writer.boolean(true) });
  expect((await node.queries.simulate(written(request))).toJson()).toContain(
    'multisig validation failed: Invalid number of signatures',
  );
});

/** A payment of Alice in which another type's field is written, too. */
function paymentWith(node: DevelopmentNode, key: string, value: Write): Write {
  const txn = unsigned(ALICE, node);
  const [header = 0, ...fields] = encode(transaction, txn);
  return map({
    sig: bytesOf(ALICE.sign(signingMessage(txn))),
    txn: (writer) => value(writer.raw(Uint8Array.of(header + 1, ...fields)).text(key)),
  });
}

test.each([
  ['no reveals', 'sp', map({ r: map({}) })],
  ['no positions', 'sp', map({ pr: listOf() })],
  ['no path in its proofs', 'sp', map({ S: map({ pth: listOf() }) })],
  ['a message of nothing', 'spmsg', map({ b: bytesOf(new Uint8Array(0)) })],
])('a state proof of explicitly %s is none, and a payment may have it', async (_, key, value) => {
  const node = testNode();
  await expect(node.submissions.submit(written(paymentWith(node, key, value)))).resolves.toHaveProperty('txId');
});

test.each([
  ['a state proof of some weight', 'sp', map({ w: (writer) => void writer.integer(1n) }), 'stpf'],
  ['an explicitly empty list of application arguments', 'apaa', listOf(), 'appl'],
  ['an explicitly empty heartbeat', 'hb', map({}), 'hb'],
])('%s in a payment is refused', async (_, key, value, type) => {
  const node = testNode();
  await expect(node.submissions.submit(written(paymentWith(node, key, value)))).rejects.toThrow(
    `transaction of type pay has non-zero fields for type ${type}`,
  );
});

test('an explicitly empty list of a program’s arguments is none', async () => {
  const node = testNode();
  await expect(
    node.submissions.submit(written(payment(node, { lsig: map({ arg: listOf() }) }))),
  ).resolves.toHaveProperty('txId');
});
