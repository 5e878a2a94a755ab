import { address } from '../bytes.ts';
import { uint64 } from '../integer.ts';
import type { Kind, ValueOf } from '../kind.ts';
import { lazy } from '../lazy.ts';
import { list } from '../list.ts';
import { field, Struct, type RecordOf } from '../struct.ts';
import { textBytes } from '../text.ts';
import { transaction, type Transaction } from './transaction.ts';
import { byteStringMap, integerMap } from '../map.ts';

/** A change of a key: 1 set bytes, 2 set an integer, 3 deleted it. */
export const valueDelta = new Struct({
  action: field('at', uint64),
  bytes: field('bs', textBytes),
  uint: field('ui', uint64),
});

const keyDeltas = byteStringMap(valueDelta);

type ValueDelta = ValueOf<typeof valueDelta>;
/** By key, one character per byte. */
export type KeyDeltas = ReadonlyMap<string, ValueDelta>;

const ownEffects = {
  globals: field('gd', keyDeltas),
  /** By account: 0 is the sender, then the accounts of the transaction, then the shared ones. */
  locals: field('ld', integerMap(keyDeltas)),
  logs: field('lg', list(textBytes)),
  sharedAccounts: field('sa', list(address)),
};

/** The effects of a program (go-algorand data/transactions, EvalDelta). */
export interface EvalDelta extends RecordOf<typeof ownEffects> {
  readonly inner: readonly InnerTransaction[] | undefined;
}

const evalDelta: Kind<EvalDelta> = new Struct({
  ...ownEffects,
  inner: field('itx', list(lazy((): Kind<InnerTransaction> => innerTransaction))),
});

export const NO_EFFECTS: EvalDelta = evalDelta.zero;

/** The effects of a transaction that it does not state itself (go-algorand data/transactions, ApplyData). */
export const applyData = {
  closingAmount: field('ca', uint64),
  assetClosingAmount: field('aca', uint64),
  /** The asset that it created. */
  configAsset: field('caid', uint64),
  /** The application that it created. */
  applicationId: field('apid', uint64),
  evalDelta: field('dt', evalDelta),
};

export type ApplyData = RecordOf<typeof applyData>;

/** A transaction that a program submitted, with its effects. Nobody signs it. */
export interface InnerTransaction extends ApplyData {
  readonly transaction: Transaction;
}

export const innerTransaction: Kind<InnerTransaction> & { of(values: Partial<InnerTransaction>): InnerTransaction } =
  new Struct({ transaction: field('txn', transaction), ...applyData });
