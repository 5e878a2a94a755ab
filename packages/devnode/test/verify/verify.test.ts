import { describe, expect, test, vi } from 'vitest';
import { sha512_256 } from '@avm402/algorand/hash';
import { encode } from '../../src/codec/document.ts';
import {
  logicSignature,
  pqSignature,
  signedTransaction,
  type LogicSignature,
  type SignedTransaction,
} from '../../src/codec/schema/signed-transaction.ts';
import { heartbeatFields } from '../../src/codec/schema/transaction.ts';
import { isCurvePoint } from '@avm402/algorand/curve-point';
import { programAddress } from '@avm402/teal/program-address';
import {
  addressOf,
  ALICE,
  groupBytes,
  sign,
  testGenesis,
  testNode,
  uniquePayment,
  unsigned,
  V41,
} from '../chain-fixture.ts';

describe('programs', () => {
  test('are judged on every way in', async () => {
    const node = testNode({ blocks: 'manual' });
    const logic = Buffer.from('0d31108101120000', 'hex');
    const txn = unsigned(ALICE, node, { sender: programAddress(logic), note: Buffer.from('escrow') });
    const bytes = encode(
      signedTransaction,
      signedTransaction.of({ transaction: txn, logicSignature: logicSignature.of({ logic }) }),
    );
    const refused = expect.objectContaining({
      code: 'refused',
      status: 400,
      message: expect.stringContaining('rejected by logic err=err opcode executed. Details: pc=6'),
      data: { 'eval-states': [{ stack: [1n] }], 'group-index': 0, pc: 6 },
    });
    await expect(node.submissions.submit(bytes, { skipPqAddressCheck: true })).rejects.toEqual(refused);
    node.submissions.submitAsync(bytes, { skipPqAddressCheck: true });
    await vi.waitFor(() => expect(node.counters.backlogDropped).toBe(1));
    expect(node.counters.poolTransactions).toBe(0);
  });
});

describe('rules that differ between protocol versions', () => {
  const v41 = testNode({ genesis: testGenesis({ proto: V41 }) });
  const v42 = testNode();

  test('a note of 1025 bytes is too big in v41, and costs more in v42', async () => {
    const note = { note: new Uint8Array(1025), fee: 1001n };
    await expect(v41.submissions.submit(uniquePayment(v41, note))).rejects.toThrow(
      'transaction note too big: 1025 > 1024',
    );
    await expect(v42.submissions.submit(uniquePayment(v42, note))).resolves.toHaveProperty('txId');
  });

  test('a signer named though it is the sender is refused from v42 on', async () => {
    const named = (node: typeof v41): Uint8Array =>
      encode(signedTransaction, {
        ...sign(ALICE, unsigned(ALICE, node, { amount: 7n })),
        authAddress: addressOf(ALICE),
      });
    await expect(v41.submissions.submit(named(v41))).resolves.toHaveProperty('txId');
    await expect(v42.submissions.submit(named(v42))).rejects.toThrow('AuthAddr must be different from Sender');
  });

  const withLogic = (node: typeof v41, logic: Partial<LogicSignature>): SignedTransaction => ({
    ...sign(ALICE, unsigned(ALICE, node, { note: Buffer.from(Object.keys(logic).join()) })),
    logicSignature: logicSignature.of(logic),
  });

  test.each([
    ['arguments', { args: [new Uint8Array(1000)] }],
    ['a signature', { signature: new Uint8Array(64).fill(1) }],
    ['a multisig', { multisig: { version: 1, threshold: 0, subsignatures: undefined } }],
    ['a logic multisig', { logicMultisig: { version: 1, threshold: 0, subsignatures: undefined } }],
  ])('%s of a program that is not there, beside a good signature, is refused from v42 on', async (_name, logic) => {
    await expect(v41.submissions.submit(encode(signedTransaction, withLogic(v41, logic)))).resolves.toHaveProperty(
      'txId',
    );
    await expect(v42.submissions.submit(encode(signedTransaction, withLogic(v42, logic)))).rejects.toThrow(
      'LogicSig fields without LogicSig program',
    );
  });

  test('a post-quantum signature of a program that is not there is refused before v42, too', async () => {
    const pq = pqSignature.of({ scheme: Buffer.from('f1') });
    const signed = withLogic(v41, { pqSignature: pq });
    await expect(v41.submissions.submit(encode(signedTransaction, signed))).rejects.toThrow('pq signature not enabled');
  });

  /** A payment by a program that approves and has so many bytes, and as many of arguments. */
  const byProgram = ({
    program,
    args = 0,
  }: {
    readonly program: number;
    readonly args?: number;
  }): SignedTransaction => {
    const steps = Buffer.alloc(program - 3, Buffer.from('810148', 'hex'));
    const logic = Buffer.concat([Buffer.of(0x0c), steps, Buffer.from('8101', 'hex')]);
    const txn = unsigned(ALICE, v41, { sender: programAddress(logic), fee: 2000n });
    const given = args === 0 ? {} : { args: [new Uint8Array(args)] };
    return signedTransaction.of({ transaction: txn, logicSignature: logicSignature.of({ logic, ...given }) });
  };

  test.each([
    [
      'a program of its own',
      [byProgram({ program: 1500 })],
      '1500 bytes of LogicSigs, more than the available pool of 1000',
    ],
    [
      'its arguments',
      [byProgram({ program: 600, args: 600 })],
      '1200 bytes of LogicSigs, more than the available pool of 1000',
    ],
    [
      'arguments of no program',
      [withLogic(v41, { args: [new Uint8Array(1500)] })],
      '1500 bytes of LogicSigs, more than',
    ],
    [
      'two programs',
      [byProgram({ program: 1500 }), byProgram({ program: 600 })],
      '2100 bytes of LogicSigs, more than the available pool of 2000',
    ],
  ])('before v42, a group is refused whose allowance is not enough for %s', async (_name, group, problem) => {
    await expect(v41.submissions.submit(groupBytes(group))).rejects.toThrow(`txgroup had ${problem}`);
  });

  test('before v42, one program may use the allowance of the whole group', async () => {
    const group = [byProgram({ program: 1500, args: 300 }), sign(ALICE, unsigned(ALICE, v41))];
    await expect(v41.submissions.submit(groupBytes(group))).rejects.toThrow('overspend');
  });

  test('a block says its load from v42 on', async () => {
    expect(v41.queries.block(1n, { headerOnly: true })?.toJson()).not.toContain('"ld"');
    expect(v42.queries.block(1n, { headerOnly: true })?.toJson()).toContain('"ld"');
  });
});

// Vectors computed with libsodium's decoder: the hash of a program, and whether it is a point.
test.each([
  ['0d810c', true],
  ['0c8101', true],
  ['0d8101', false],
  ['0d8102', false],
])('the address of program %s is a curve point: %s', (hex, point) => {
  expect(isCurvePoint(programAddress(Buffer.from(hex, 'hex')))).toBe(point);
});

test('a heartbeat whose proof can’t be right is refused as its signature is', async () => {
  const node = testNode();
  const heartbeat = {
    ...emptyHeartbeat(),
    seed: new Uint8Array(32).fill(1),
    voteId: sha512_256(Buffer.from('key')),
    keyDilution: 10n,
  };
  await expect(node.submissions.submit(uniquePayment(node, { type: 'hb', heartbeat }))).rejects.toThrow(
    "At least one signature didn't pass verification",
  );
});

function emptyHeartbeat() {
  return heartbeatFields.of({ proof: { ...heartbeatFields.zero.proof, key: new Uint8Array(32).fill(5) } });
}
