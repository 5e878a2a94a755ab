import { address, bytes, bytes32, bytes64, fixedBytes } from '../bytes.ts';
import { boolean, uint8 } from '../integer.ts';
import type { ValueOf } from '../kind.ts';
import { list } from '../list.ts';
import { field, Struct } from '../struct.ts';
import { applyData } from './apply-data.ts';
import { transaction } from './transaction.ts';

const subsignature = new Struct({ publicKey: field('pk', bytes32), signature: field('s', bytes64) });

/** A multisig signature (go-algorand crypto, MultisigSig). */
export const multisig = new Struct({
  version: field('v', uint8),
  threshold: field('thr', uint8),
  subsignatures: field('subsig', list(subsignature, '[]crypto.MultisigSubsig')),
});

/** A post-quantum signature and the key whose hash is its authorizer's address. */
export const pqSignature = new Struct({
  scheme: field('sch', fixedBytes(2)),
  salt: field('slt', uint8),
  publicKey: field('pk', bytes),
  signature: field('sig', bytes),
});

export const logicSignature = new Struct({
  logic: field('l', bytes),
  signature: field('sig', bytes64),
  multisig: field('msig', multisig),
  logicMultisig: field('lmsig', multisig),
  pqSignature: field('pqsig', pqSignature),
  args: field('arg', list(bytes)),
});

const signatures = {
  signature: field('sig', bytes64),
  multisig: field('msig', multisig),
  logicSignature: field('lsig', logicSignature),
  pqSignature: field('pqsig', pqSignature),
};

/** A transaction with its authorization (go-algorand data/transactions, SignedTxn). */
export const signedTransaction = new Struct({
  ...signatures,
  transaction: field('txn', transaction),
  authAddress: field('sgnr', address),
});

/** A transaction as a block holds it: without `gen` and `gh`; `hgi` says that `gen` was set. */
export const transactionInBlock = new Struct({
  ...signatures,
  transaction: field('txn', transaction),
  authAddress: field('sgnr', address),
  ...applyData,
  hasGenesisId: field('hgi', boolean),
});

export type Multisig = ValueOf<typeof multisig>;
export type PqSignature = ValueOf<typeof pqSignature>;
export type LogicSignature = ValueOf<typeof logicSignature>;
export type SignedTransaction = ValueOf<typeof signedTransaction>;
export type TransactionInBlock = ValueOf<typeof transactionInBlock>;

/** Falcon-1024, the only known scheme. */
const FALCON_1024 = 'f1';

export function isKnownPqScheme({ scheme }: PqSignature): boolean {
  return Buffer.from(scheme).toString('latin1') === FALCON_1024;
}
