import { verify } from '@avm402/algorand/ed25519';
import { parseAddress } from '@avm402/algorand/address';
import { multisigAddress } from '@avm402/algorand/multisig';
import { expect, test } from 'vitest';
import { decodeGroup } from '../../src/codec/decode-group.ts';
import { encode } from '../../src/codec/document.ts';
import { simulateRequest } from '../../src/codec/schema/simulate.ts';
import {
  logicSignature,
  signedTransaction,
  type SignedTransaction,
} from '../../src/codec/schema/signed-transaction.ts';
import type { DevelopmentNode } from '../../src/development-node.ts';
import { SignatureVerifier } from '../../src/verify/signature-verifier.ts';
import { KnownSignatures, type SignedMessage } from '../../src/verify/known-signatures.ts';
import { authorizerOf, groupMember } from '../../src/transaction/member.ts';
import { BAD_SIGNATURE } from '../../src/verify/verify-group.ts';
import { ALICE, BOB, testAccount, testNode, uniquePayment, unsigned } from '../chain-fixture.ts';
import { type Exchange, readScenario } from '../replay/recording.ts';

/** What algod said of each recorded signature, by what each is a case of. */
const recorded = readScenario('payments', 'ed25519-edges').exchanges.filter(
  ({ request }) => request.path === '/v2/transactions',
);

function signedMessages({ request }: Exchange): SignedMessage[] {
  const group = decodeGroup(Buffer.from(request.bodyBase64 ?? '', 'base64'), { maxSize: 16, cut: false });
  return group.map(groupMember).map(({ signed, message }) => ({
    publicKey: authorizerOf(signed),
    message,
    signature: signed.signature,
  }));
}

test('every recorded edge of Ed25519 gets algod’s verdict, with a key that is new and with one that is known', async () => {
  const edges = recorded.map((exchange) => ({
    note: exchange.note,
    signed: signedMessages(exchange),
    good: !exchange.response.body?.includes(BAD_SIGNATURE),
  }));
  const single = edges.filter(({ signed }) => signed.length === 1);
  expect(single).toHaveLength(83);
  const verifier = new SignatureVerifier();
  for (let pass = 1; pass <= 2; pass++) {
    const verdicts = await Promise.all(
      single.map(async ({ note, signed: [only] }) => ({
        note,
        good: only && (await verifier.verify([only])),
      })),
    );
    expect(verdicts).toEqual(single.map(({ note, good }) => ({ note, good })));
  }
});

test('a signature is known only with the key and the message for which it was found good', () => {
  const known = new KnownSignatures();
  const bytes = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);
  const signed = { publicKey: bytes(32, 1), message: bytes(40, 2), signature: bytes(64, 3) };
  known.add(signed);
  expect(known.has({ ...signed, message: Buffer.from(signed.message) })).toBe(true);
  expect(known.has({ ...signed, publicKey: bytes(32, 4) })).toBe(false);
  expect(known.has({ ...signed, message: bytes(41, 2) })).toBe(false);
  expect(known.has({ ...signed, signature: bytes(64, 4) })).toBe(false);
});

test('a signature of a message longer than a payment can be is not kept', () => {
  const known = new KnownSignatures();
  const ofLength = (length: number): SignedMessage => ({
    publicKey: new Uint8Array(32),
    message: new Uint8Array(length),
    signature: new Uint8Array(64),
  });
  for (const length of [5000, 1_000_000]) known.add(ofLength(length));
  expect([5000, 1_000_000].map((length) => known.has(ofLength(length)))).toEqual([true, false]);
});

test('only the last signatures are known', () => {
  const known = new KnownSignatures();
  const numbered = (number: number): SignedMessage => ({
    publicKey: new Uint8Array(32),
    message: Buffer.from(String(number)),
    signature: new Uint8Array(64),
  });
  for (let number = 0; number <= 2048; number++) known.add(numbered(number));
  expect([0, 1, 2048].map((number) => known.has(numbered(number)))).toEqual([false, true, true]);
});

test('a signature does not wait for the thousands of another group', async () => {
  const verifier = new SignatureVerifier();
  const signed = (by: typeof ALICE, text: string): SignedMessage => {
    const message = Buffer.from(text);
    return { publicKey: by.publicKey, message, signature: by.sign(message) };
  };
  await verifier.verify([signed(ALICE, 'before'), signed(BOB, 'before')]);
  const started = performance.now();
  const timeOf = async (verified: Promise<boolean>): Promise<number> => {
    expect(await verified).toBe(true);
    return performance.now() - started;
  };
  const thousands = timeOf(verifier.verify(Array<SignedMessage>(4080).fill(signed(ALICE, 'many'))));
  expect(await timeOf(verifier.verify([signed(BOB, 'one')]))).toBeLessThan((await thousands) / 2);
});

/** A payment of a multisig account of 255 keys, each with a signature that is well made, but of something else. */
function wronglySigned(node: DevelopmentNode, publicKeys: readonly Uint8Array[]): Uint8Array {
  const sender = { address: multisigAddress({ version: 1, threshold: 1, publicKeys }) };
  const signature = ALICE.sign(Buffer.from('something else'));
  const subsignatures = publicKeys.map((publicKey) => ({ publicKey, signature }));
  const transaction = unsigned(sender, node);
  return encode(
    signedTransaction,
    signedTransaction.of({ transaction, multisig: { version: 1, threshold: 1, subsignatures } }),
  );
}

test.each([
  ['that are new', (index: number) => testAccount(index).publicKey],
  ['that have signed before', () => ALICE.publicKey],
])('many wrong signatures, by keys %s, are refused without a judgement of each', async (_, keyOf) => {
  const node = testNode();
  await node.submissions.submit(uniquePayment(node));
  const group = wronglySigned(
    node,
    Array.from({ length: 255 }, (_none, index) => keyOf(index)),
  );
  const started = performance.now();
  await expect(node.submissions.submit(group)).rejects.toThrow(BAD_SIGNATURE);
  expect(performance.now() - started).toBeLessThan(100 * judgementMs());
});

/** A transaction by a program to which 255 keys have delegated a multisig account. */
function byDelegate(node: DevelopmentNode): SignedTransaction {
  const accounts = Array.from({ length: 255 }, (_none, index) => testAccount(index));
  const publicKeys = accounts.map(({ publicKey }) => publicKey);
  const sender = { address: multisigAddress({ version: 1, threshold: 255, publicKeys }) };
  const logic = Buffer.from('0d8101', 'hex');
  const message = Buffer.concat([Buffer.from('MsigProgram'), parseAddress(sender.address), logic]);
  const subsignatures = accounts.map((account) => ({ publicKey: account.publicKey, signature: account.sign(message) }));
  const logicMultisig = { version: 1, threshold: 255, subsignatures };
  return signedTransaction.of({
    transaction: unsigned(sender, node),
    logicSignature: logicSignature.of({ logic, logicMultisig }),
  });
}

/** What is said of the group, which is refused, on each of the two ways in. */
const JUDGES = [
  [
    'submission',
    (node: DevelopmentNode, group: SignedTransaction): Promise<string> =>
      node.submissions.submit(encode(signedTransaction, group)).then(JSON.stringify, String),
  ],
  [
    'simulation',
    async (node: DevelopmentNode, group: SignedTransaction): Promise<string> => {
      const request = simulateRequest.of({ groups: [{ transactions: [group] }] });
      return (await node.queries.simulate(encode(simulateRequest, request))).toJson();
    },
  ],
] as const;

test.each(JUDGES)('many signatures of a %s are verified while other things go on', async (_, judge) => {
  const node = testNode();
  const group = byDelegate(node);
  let turns = 0;
  let others = setImmediate(function count() {
    turns++;
    others = setImmediate(count);
  });
  expect(await judge(node, group)).toContain('overspend');
  clearImmediate(others);
  expect(turns).toBeGreaterThan(10);
});

/** How long a wrong signature takes that the rule itself must judge. */
function judgementMs(): number {
  const times = 50;
  const signature = ALICE.sign(Buffer.from('something else'));
  const started = performance.now();
  for (let time = 0; time < times; time++) verify(ALICE.publicKey, Buffer.from(String(time)), signature);
  return (performance.now() - started) / times;
}
