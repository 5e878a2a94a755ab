import { describe, expect, it } from 'vitest';
import { createAccount } from '../src/account.ts';
import { decodeBase64, encodeBase64 } from '../src/base64.ts';
import { verify } from '../src/ed25519.ts';
import { encodeMsgpack } from '../src/msgpack.ts';
import { multisigAddress, verifyMultisig } from '../src/multisig.ts';
import { isShown, shownTransaction } from '../src/shown-transaction.ts';
import { decodeMember, encodeSignedTransaction, type SignedTransaction } from '../src/signed-transaction.ts';
import { encodeTransaction, type Transaction, transactionSigningBytes } from '../src/transaction.ts';

const payer = createAccount();
const other = createAccount();
const txn: Transaction = {
  type: 'pay',
  sender: payer.address,
  receiver: other.address,
  amount: 5n,
  fee: 1000n,
  firstValid: 1n,
  lastValid: 1000n,
  genesisHash: new Uint8Array(32).fill(7),
};
const signingBytes = transactionSigningBytes(encodeTransaction(txn));
const show = (signed: SignedTransaction) => shownTransaction(encodeBase64(encodeSignedTransaction(signed))) ?? '';
const read = (member: string): SignedTransaction => decodeMember(decodeBase64(member) ?? new Uint8Array()).signed;

describe('a transaction that is shown', () => {
  it('keeps everything but the signature of a key, which is none of anybody any more', () => {
    const signature = payer.sign(signingBytes);
    const shown = read(show({ txn, signature, authAddress: other.address }));
    expect(shown).toMatchObject({ txn, authAddress: other.address });
    expect(shown.signature).not.toEqual(signature);
    expect(verify(payer.publicKey, signingBytes, shown.signature ?? new Uint8Array())).toBe(false);
    expect(isShown(shown)).toBe(true);
    expect(isShown({ txn, signature })).toBe(false);
  });

  it('keeps of a multisig who signed, and who did not', () => {
    const parameters = { version: 1, threshold: 1, publicKeys: [payer.publicKey, other.publicKey] };
    const subsignatures = [
      { publicKey: payer.publicKey },
      { publicKey: other.publicKey, signature: other.sign(signingBytes) },
    ];
    const multisig = { version: 1, threshold: 1, subsignatures };
    const sent = { txn: { ...txn, sender: multisigAddress(parameters) }, multisig };
    const shown = read(show(sent));
    expect(shown.multisig?.subsignatures.map((one) => one.signature !== undefined)).toEqual([false, true]);
    expect(verifyMultisig(signingBytes, multisig)).toBe(true);
    expect(verifyMultisig(signingBytes, shown.multisig ?? multisig)).toBe(false);
    expect([isShown(sent), isShown(shown)]).toEqual([false, true]);
  });

  it('has no Falcon signature', () => {
    const pqSignature = encodeMsgpack({ sig: Uint8Array.of(0xba, 1) });
    const shown = read(show({ txn, pqSignature }));
    expect(shown.pqSignature).toEqual(encodeMsgpack({}));
    expect([isShown(shown), isShown({ txn, pqSignature })]).toEqual([true, false]);
  });

  it('has no program, and no argument of one', () => {
    const logicSignature = encodeMsgpack({ arg: [new TextEncoder().encode('SECRET')], l: Uint8Array.of(8, 1) });
    const shown = read(show({ txn, logicSignature }));
    expect(shown.logicSignature).toEqual(encodeMsgpack({}));
    expect(isShown(shown)).toBe(true);
    expect(isShown({ txn, logicSignature })).toBe(false);
  });

  it.each([
    ['bare', encodeTransaction(txn)],
    ['wrapped', encodeSignedTransaction({ txn })],
  ])('is as it was where nothing signs it: %s', (_form, bytes) => {
    const member = encodeBase64(bytes);
    expect(shownTransaction(member)).toBe(member);
    expect(isShown(read(member))).toBe(false);
  });

  it.each(['', 'no base64!', btoa('no msgpack')])('is nothing where there is none: %j', (member) => {
    expect(shownTransaction(member)).toBeUndefined();
  });
});
