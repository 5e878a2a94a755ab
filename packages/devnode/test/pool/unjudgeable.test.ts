import { afterAll, describe, expect, test } from 'vitest';
import { encode } from '../../src/codec/document.ts';
import { logicSignature, pqSignature, signedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import type { SignedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import { logicAddress } from '../../src/verify/logic-signature.ts';
import { pqAddress } from '../../src/verify/pq-signature.ts';
import { ALICE, sign, testNode, unsigned } from '../chain-fixture.ts';

const node = testNode({ blocks: 'manual' });
afterAll(() => node.close());

const APPROVING = Buffer.from('0d8101', 'hex');
const UNKNOWN = Buffer.from('0d311081011200', 'hex');
const FALCON = pqSignature.of({ scheme: Buffer.from('f1'), publicKey: Buffer.from('key'), signature: Buffer.of(1) });

const creation = (approvalProgram: Uint8Array): SignedTransaction =>
  sign(ALICE, unsigned(ALICE, node, { type: 'appl', approvalProgram, clearStateProgram: APPROVING }));

const byProgram = (logic: Uint8Array): SignedTransaction =>
  signedTransaction.of({
    transaction: unsigned(ALICE, node, { sender: logicAddress(logic) }),
    logicSignature: logicSignature.of({ logic }),
  });

const byFalcon = (sender: Uint8Array): SignedTransaction =>
  signedTransaction.of({ transaction: unsigned(ALICE, node, { sender }), pqSignature: FALCON });

const byFalconsDelegate = signedTransaction.of({
  transaction: unsigned(ALICE, node, { sender: pqAddress(FALCON) }),
  logicSignature: logicSignature.of({ logic: APPROVING, pqSignature: FALCON }),
});

function submitAsync(...group: SignedTransaction[]): () => void {
  const bytes = Buffer.concat(group.map((signed) => encode(signedTransaction, signed)));
  return () => node.submitGroupAsync(bytes, { skipPqAddressCheck: true });
}

describe('an asynchronous group', () => {
  test.each([
    ['a program to run', byProgram(UNKNOWN)],
    ['an application to create', creation(APPROVING)],
    ['a Falcon signature to verify', byFalcon(pqAddress(FALCON))],
    ['a Falcon signature of a program to verify', byFalconsDelegate],
  ])('with %s is refused at once, for it would vanish though algod may take it', (_name, signed) => {
    const payment = sign(ALICE, unsigned(ALICE, node));
    const refused = expect.objectContaining({ code: 'unsupported', status: 400 });
    expect(submitAsync(payment, signed)).toThrow(refused);
    expect(node.counters.backlogGroups).toBe(0);
  });

  test.each([
    ['a program that plainly approves', byProgram(APPROVING)],
    ['a Falcon signature of another account', byFalcon(new Uint8Array(32).fill(7))],
    ['no signature', signedTransaction.of({ transaction: unsigned(ALICE, node) })],
  ])('with %s is taken, for what becomes of it is certain', (_name, signed) => {
    const before = node.counters.backlogGroups;
    expect(submitAsync(signed)).not.toThrow();
    expect(node.counters.backlogGroups).toBe(before + 1);
  });
});
