import { isAllZero, sameBytes } from '../codec/bytes.ts';
import { logicSignature, multisig, pqSignature, type TransactionInBlock } from '../codec/schema/signed-transaction.ts';
import type { BlockHeader } from '../codec/schema/block.ts';
import type { InnerTransaction } from '../codec/schema/apply-data.ts';
import type { Transaction, TransactionType } from '../codec/schema/transaction.ts';
import type { ConfirmedTransaction } from './confirmed-transaction.ts';
import { addressesInRole, assetOf, participantsOf, type AddressRole } from './participants.ts';
import { applicationOf, transactionsWithin } from '../transaction/inner-transactions.ts';

/** A transaction that is searched: one of a block, or one that a program submitted. */
interface Searched {
  readonly placed: InnerTransaction;
  readonly transaction: Transaction;
  /** Absent for one that a program submitted. */
  readonly signatureType: SignatureType | undefined;
  readonly header: BlockHeader;
}

type Filter = (transaction: Searched) => boolean;

/** Whether a transaction matches, or one that its program submitted. */
export type TransactionFilter = (transaction: ConfirmedTransaction) => boolean;

export const SIGNATURE_TYPES = ['sig', 'msig', 'lsig', 'pqsig'] as const;
type SignatureType = (typeof SIGNATURE_TYPES)[number];

/** The criteria for a transaction, besides its round and the index's selections. */
export interface TransactionCriteria {
  readonly address: Uint8Array | undefined;
  readonly role: AddressRole | undefined;
  readonly excludeCloseTo: boolean;
  readonly type: TransactionType | undefined;
  readonly signatureType: SignatureType | undefined;
  readonly notePrefix: Uint8Array | undefined;
  readonly group: Uint8Array | undefined;
  /** Seconds since 1970. */
  readonly afterTime: number | undefined;
  readonly beforeTime: number | undefined;
  readonly isAmount: ((amount: bigint) => boolean) | undefined;
  /** Whether amounts are in units of assets rather than in µAlgo. */
  readonly ofAssets: boolean;
  /** 0: any, or none. */
  readonly assetId: bigint;
  /** 0: any, or none. */
  readonly applicationId: bigint;
  /** Whether to find only transactions that rekey. */
  readonly rekeys: boolean;
}

export function transactionFilter(criteria: TransactionCriteria): TransactionFilter {
  const { type, signatureType, notePrefix, group, afterTime, beforeTime, assetId, applicationId, rekeys } = criteria;
  const filters: (Filter | undefined)[] = [
    addressFilter(criteria),
    type === undefined ? undefined : ({ transaction }) => transaction.type === type,
    signatureType === undefined ? undefined : (searched) => searched.signatureType === signatureType,
    notePrefix && (({ transaction: { note } }) => sameBytes(note.subarray(0, notePrefix.length), notePrefix)),
    group && (({ transaction }) => sameBytes(transaction.group, group)),
    afterTime === undefined ? undefined : ({ header }) => Number(header.timestamp) > afterTime,
    beforeTime === undefined ? undefined : ({ header }) => Number(header.timestamp) < beforeTime,
    amountFilter(criteria),
    assetId === 0n ? undefined : ({ placed }) => assetOf(placed) === assetId,
    applicationId === 0n ? undefined : ({ placed }) => applicationOf(placed) === applicationId,
    rekeys ? ({ transaction }) => !isAllZero(transaction.rekeyTo) : undefined,
  ];
  const given = filters.filter((filter) => filter !== undefined);
  return (confirmed) => searchedIn(confirmed).some((searched) => given.every((filter) => filter(searched)));
}

function searchedIn({ placed, header }: ConfirmedTransaction): Searched[] {
  return [...transactionsWithin(placed)].map((each) => ({
    placed: each,
    transaction: each.transaction,
    signatureType: each === placed ? signatureTypeOf(placed) : undefined,
    header,
  }));
}

function addressFilter({ address, role, excludeCloseTo }: TransactionCriteria): Filter | undefined {
  if (address === undefined) return undefined;
  return ({ transaction }) => {
    const closeTo = !excludeCloseTo;
    const those = role === undefined ? participantsOf(transaction) : addressesInRole(transaction, role, { closeTo });
    return those.some((one) => sameBytes(one, address));
  };
}

/** Amounts in µAlgo are those of payments, amounts of assets those of asset transfers. */
function amountFilter({ isAmount, ofAssets }: TransactionCriteria): Filter | undefined {
  if (isAmount === undefined) return undefined;
  return ({ transaction }) => {
    if (transaction.type !== (ofAssets ? 'axfer' : 'pay')) return false;
    return isAmount(ofAssets ? transaction.assetAmount : transaction.amount);
  };
}

function signatureTypeOf(placed: TransactionInBlock): SignatureType {
  if (!multisig.isUnset(placed.multisig)) return 'msig';
  if (!logicSignature.isUnset(placed.logicSignature)) return 'lsig';
  return pqSignature.isUnset(placed.pqSignature) ? 'sig' : 'pqsig';
}
