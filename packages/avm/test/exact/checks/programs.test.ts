import { describe, expect, it } from 'vitest';
import { formatAddress } from '@avm402/algorand/address';
import { sha512_256 } from '@avm402/algorand/hash';
import { encodeMsgpack, type MsgpackInput } from '@avm402/algorand/msgpack';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { transactionSigningBytes } from '@avm402/algorand/transaction';
import { programSigningBytes } from '@avm402/algorand/program';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import { channelProgram } from '../../../src/batch-settlement/channel-config.ts';
import { checkPaymentOffline } from '../../../src/exact/check-payment-offline.ts';
import { slotLease } from '../../../src/mandate/mandate-window.ts';
import { uptoLease } from '../../../src/signing/upto-lease.ts';
import { uptoProgram } from '../../../src/upto/upto-program.ts';
import { config as channel } from '../../batch-settlement/channel-fixture.ts';
import { merchant, payer, payloadOf, reasonFor, sponsor, stranger, transfer, unsponsored } from './payment-fixture.ts';

/** `pushint 1`, which approves everything. */
const approve = Uint8Array.of(10, 0x81, 1);
const accountOf = (program: Uint8Array): string => formatAddress(sha512_256(programSigningBytes(program)));
const reason = (payload: PaymentPayload): string => reasonFor(payload, unsponsored);

interface Signing {
  readonly txn?: object;
  /** The fields of the logic signature. */
  readonly lsig?: Readonly<Record<string, MsgpackInput>>;
  readonly with?: object;
}

/** A payment signed by a program of `payer`, or with other fields. */
function paidBy({ txn = {}, lsig, with: others = {} }: Signing): PaymentPayload {
  const paying = { ...transfer, fee: 1000n, ...txn };
  const logicSignature = lsig && { logicSignature: encodeMsgpack(lsig) };
  return payloadOf([encodeSignedTransaction({ txn: paying, ...logicSignature, ...others })], unsponsored);
}

const contract = { txn: { sender: accountOf(approve) } };
const delegated = payer.sign(programSigningBytes(approve));
/** An address that is not a point of the curve, as nodes ask of a Falcon key's. */
const FALCON = formatAddress(new Uint8Array(32).fill(2));
const falcon = { pqSignature: encodeMsgpack({ pk: new Uint8Array(1793), sch: 'f1', sig: Uint8Array.of(0xba) }) };
const multisigOf = (keys: number): MsgpackInput => ({
  subsig: Array.from({ length: keys }, () => ({ pk: payer.publicKey })),
  thr: 1,
  v: 1,
});

describe('a payment that only the chain can judge', () => {
  it.each<[string, Signing]>([
    ['the program of a contract account', { ...contract, lsig: { l: approve } }],
    ['a program with arguments', { ...contract, lsig: { arg: [new Uint8Array(), Uint8Array.of(1)], l: approve } }],
    ['a program that the payer’s key has signed', { lsig: { l: approve, sig: delegated } }],
    ['a program that a multisig has signed', { lsig: { l: approve, lmsig: multisigOf(16) } }],
    ['a program with a lease', { ...contract, txn: { ...contract.txn, lease: slotLease(1n) }, lsig: { l: approve } }],
    ['a program of 1,997 bytes and 3 of arguments', { lsig: { arg: [new Uint8Array(3)], ...programOf(1997) } }],
    ['a Falcon key', { txn: { sender: FALCON }, with: falcon }],
  ])('may be signed by %s', (_what, signing) => {
    const payment = checkPaymentOffline(paidBy(signing), unsponsored);
    expect(payment.isJudgedByChain).toBe(true);
  });

  it('tells apart copies whose program gets other arguments', () => {
    const signers = [1, 2].map((arg) => {
      const payload = paidBy({ ...contract, lsig: { arg: [Uint8Array.of(arg)], l: approve } });
      const { txId, signer } = checkPaymentOffline(payload, unsponsored);
      return { txId, signer };
    });
    expect(signers[0]?.txId).toBe(signers[1]?.txId);
    expect(signers[0]?.signer).not.toBe(signers[1]?.signer);
  });

  it.each<[string, Signing, string]>([
    ['a program of another account', { lsig: { l: approve } }, 'signer_mismatch'],
    ['no program', { ...contract, lsig: { arg: [Uint8Array.of(1)] } }, 'logic_signature'],
    ['an empty program', { ...contract, lsig: { l: new Uint8Array() } }, 'logic_signature'],
    ['an empty Falcon signature', { with: { pqSignature: encodeMsgpack({ sch: 'f1' }) } }, 'invalid_signature'],
    ['a Falcon key whose address a node would not submit', { with: falcon }, 'invalid_signature'],
    ['a program and a Falcon signature', { lsig: { l: approve, sig: delegated }, with: falcon }, 'invalid_signature'],
    [
      'a program and a key',
      { lsig: { l: approve }, with: { signature: new Uint8Array(64).fill(1) } },
      'invalid_signature',
    ],
    ['a program that somebody else has signed', { lsig: { l: approve, sig: bySomebodyElse() } }, 'invalid_signature'],
    ['a program signed twice', { lsig: { l: approve, lmsig: multisigOf(1), sig: delegated } }, 'logic_signature'],
    ['17 signatures of a program', { lsig: { l: approve, lmsig: multisigOf(17) } }, 'logic_signature'],
    ['2,001 bytes', { lsig: { arg: [new Uint8Array(4)], ...programOf(1997) } }, 'logic_signature'],
    [
      '17 arguments',
      { lsig: { arg: Array.from({ length: 17 }, () => new Uint8Array()), l: approve } },
      'logic_signature',
    ],
    ['an argument that is no bytes', { lsig: { arg: ['1'], l: approve } }, 'logic_signature'],
    ['an unknown field', { lsig: { l: approve, x: 1 } }, 'logic_signature'],
    ['the program of a channel', { lsig: signed(channelProgram(channel)) }, 'logic_signature'],
    ['the program of a metered payment', { lsig: signed(metered()) }, 'logic_signature'],
    ['a lease of a metered payment', { txn: { lease: uptoLease(new Uint8Array(16)) }, lsig: signed(approve) }, 'lease'],
    ['a Falcon key and a lease', { txn: { lease: slotLease(1n), sender: FALCON }, with: falcon }, 'lease'],
    ['a program that takes the account', { txn: { rekeyTo: stranger.address }, lsig: signed(approve) }, 'rekey'],
    ['a program that closes', { txn: { assetCloseTo: stranger.address }, lsig: signed(approve) }, 'asset_close'],
  ])('is refused with %s', (_what, signing, code) => {
    expect(reason(paidBy(signing))).toBe(`invalid_exact_avm_${code}`);
  });

  it('by a key, is one that names another key as the payer’s', () => {
    const txn = { ...transfer, fee: 1000n };
    const signature = stranger.sign(transactionSigningBytes(txn));
    const rekeyed = payloadOf(
      [encodeSignedTransaction({ txn, signature, authAddress: stranger.address })],
      unsponsored,
    );
    expect(checkPaymentOffline(rekeyed, unsponsored).isJudgedByChain).toBe(true);
    const own = payloadOf([payer.signTransaction(txn)], unsponsored);
    expect(checkPaymentOffline(own, unsponsored).isJudgedByChain).toBe(false);
  });
});

/** A program that the payer has signed. */
function signed(program: Uint8Array) {
  return { l: program, sig: payer.sign(programSigningBytes(program)) };
}

/** A program of so many bytes that the payer has signed. */
function programOf(bytes: number) {
  return signed(Uint8Array.from([...approve, ...new Uint8Array(bytes - approve.length)]));
}

function bySomebodyElse(): Uint8Array {
  return stranger.sign(programSigningBytes(approve));
}

function metered(): Uint8Array {
  return uptoProgram({
    receiver: merchant.address,
    feePayer: sponsor.address,
    genesisHash: transfer.genesisHash,
    token: transfer.assetId,
    maxAmount: transfer.amount,
    lastValid: transfer.lastValid,
    lease: uptoLease(new Uint8Array(16)),
  });
}
