import { afterAll, describe, expect, test } from 'vitest';
import { logicSignature, pqSignature, signedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import type { SignedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import { heartbeatFields } from '../../src/codec/schema/transaction.ts';
import type { DevelopmentNode } from '../../src/development-node.ts';
import { programAddress } from '@avm402/teal/program-address';
import { pqAddress } from '../../src/verify/pq-signature.ts';
import { addressOf, ALICE, groupBytes, sign, testGenesis, testNode, unsigned, V41 } from '../chain-fixture.ts';

const node = testNode({ blocks: 'manual' });
const v41 = testNode({ blocks: 'manual', genesis: testGenesis({ proto: V41 }) });
afterAll(() => {
  node.close();
  v41.close();
});

const APPROVING = Buffer.from('0d8101', 'hex');
const VERSION_14 = Buffer.from('0e8101', 'hex');
const UNKNOWN = Buffer.from('0d311081011200', 'hex');
const FALCON = pqSignature.of({ scheme: Buffer.from('f1'), publicKey: Buffer.from('key'), signature: Buffer.of(1) });

const HEARTBEAT = heartbeatFields.of({
  proof: { ...heartbeatFields.zero.proof, key: new Uint8Array(32).fill(5) },
  seed: new Uint8Array(32).fill(1),
  voteId: new Uint8Array(32).fill(2),
  keyDilution: 10n,
});

const creation = (approvalProgram: Uint8Array, clearStateProgram = APPROVING): SignedTransaction =>
  sign(ALICE, unsigned(ALICE, node, { type: 'appl', approvalProgram, clearStateProgram }));

const byProgram = (logic: Uint8Array, sender = programAddress(logic)): SignedTransaction =>
  signedTransaction.of({
    transaction: unsigned(ALICE, node, { sender }),
    logicSignature: logicSignature.of({ logic }),
  });

const byFalcon = (sender: Uint8Array): SignedTransaction =>
  signedTransaction.of({ transaction: unsigned(ALICE, node, { sender }), pqSignature: FALCON });

const byFalconsDelegate = signedTransaction.of({
  transaction: unsigned(ALICE, node, { sender: pqAddress(FALCON) }),
  logicSignature: logicSignature.of({ logic: APPROVING, pqSignature: FALCON }),
});

const heartbeat = (changes: Partial<typeof HEARTBEAT> = {}): SignedTransaction =>
  sign(ALICE, unsigned(ALICE, node, { type: 'hb', heartbeat: { ...HEARTBEAT, ...changes } }));

/** A program of 9.9 MB that pushes a number and pops it again, over and over. */
const endless = (): Uint8Array => {
  const steps = Buffer.alloc(3 * 3_300_000, Buffer.from('810148', 'hex'));
  return Buffer.concat([Buffer.of(0x0c), steps]);
};

/** Submits transactions, several as one group. */
function submitAsync(to: DevelopmentNode, ...group: SignedTransaction[]): () => void {
  const bytes = groupBytes(group);
  return () => to.submissions.submitAsync(bytes, { skipPqAddressCheck: true });
}

describe('an asynchronous group', () => {
  test('with a heartbeat is refused at once, for it would vanish though algod may take it', () => {
    const signed = heartbeat();
    const payment = sign(ALICE, unsigned(ALICE, node));
    const refused = expect.objectContaining({ code: 'unsupported', status: 400 });
    expect(submitAsync(node, signed)).toThrow(refused);
    expect(submitAsync(node, payment, signed)).toThrow(refused);
    expect(node.counters.backlogGroups).toBe(0);
  });

  test.each([
    ['a program that approves', node, byProgram(APPROVING)],
    ['a program that does not', node, byProgram(UNKNOWN)],
    ['a Falcon signature', node, byFalcon(pqAddress(FALCON))],
    ['a Falcon signature of a program', node, byFalconsDelegate],
    ['a Falcon signature of another account', node, byFalcon(new Uint8Array(32).fill(7))],
    ['a Falcon signature before there were any', v41, byFalcon(pqAddress(FALCON))],
    ['a Falcon signature of a program before there were any', v41, byFalconsDelegate],
    ['no signature', node, signedTransaction.of({ transaction: unsigned(ALICE, node) })],
    ['a program longer than any may be', node, byProgram(endless())],
    ['a program of a version that there is not', node, byProgram(Buffer.from('0e3110', 'hex'))],
    ['a program that its account has not signed', node, byProgram(UNKNOWN, addressOf(ALICE))],
    ['an application of two versions to create', node, creation(APPROVING, Buffer.from('0c8101', 'hex'))],
    ['an application to create', node, creation(APPROVING)],
    ['an application of a version that there is not', node, creation(VERSION_14, VERSION_14)],
    ['a heartbeat without a seed', node, heartbeat({ seed: new Uint8Array(32) })],
  ])('with %s is taken, for what becomes of it is certain', (_name, to, signed) => {
    const before = to.counters.backlogGroups;
    expect(submitAsync(to, signed)).not.toThrow();
    expect(to.counters.backlogGroups).toBe(before + 1);
  });
});
