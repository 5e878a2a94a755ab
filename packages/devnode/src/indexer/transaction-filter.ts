import { isAllZero, sameBytes } from '../codec/bytes.ts';
import { logicSignature, multisig, pqSignature, type TransactionInBlock } from '../codec/schema/signed-transaction.ts';
import type { BlockHeader } from '../codec/schema/block.ts';
import type { InnerTransaction } from '../codec/schema/apply-data.ts';
import { fieldsOfType, type Transaction, type TransactionType } from '../codec/schema/transaction.ts';
import { pageParameters } from './page.ts';
import { isWithin, queryAddress, queryBase64, queryChoice, queryTime } from './parameters.ts';
import { queryBoolean, queryText, queryUint64, type Bound } from '../rest/parameter.ts';
import type { ConfirmedTransaction } from './confirmed-transaction.ts';
import { ADDRESS_ROLES, addressesInRole, assetOf, participantsOf } from './participants.ts';
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

const SIGNATURE_TYPES = ['sig', 'msig', 'lsig', 'pqsig'] as const;
type SignatureType = (typeof SIGNATURE_TYPES)[number];

/** What can be asked of a transaction. */
export const commonParameters = {
  ...pageParameters,
  'note-prefix': queryBase64('The first bytes of the note, in base64.'),
  'tx-type': queryChoice('The type.', Object.keys(fieldsOfType) as TransactionType[]),
  'sig-type': queryChoice('How it is signed.', SIGNATURE_TYPES),
  'group-id': queryBase64('The group, in base64.'),
  txid: queryText('The id.'),
  round: queryUint64('Its round.'),
  'min-round': queryUint64('The first round.'),
  'max-round': queryUint64('The last round.'),
  'asset-id': queryUint64('The asset that is moved, configured or frozen.'),
  'before-time': queryTime('Blocks made before a time of RFC 3339.'),
  'after-time': queryTime('Blocks made after a time of RFC 3339.'),
  'currency-greater-than': queryUint64('Amounts above this, µAlgo; with `asset-id` or type `axfer`, units.'),
  'currency-less-than': queryUint64('Amounts below this, µAlgo; with `asset-id` or type `axfer`, units.'),
  'rekey-to': queryBoolean('Only those that rekey.'),
  'application-id': queryUint64('The application that is called or created.'),
};

/** The same, and what can be asked of an account's role in it. */
export const searchParameters = {
  ...commonParameters,
  address: queryAddress('An account of the transaction.'),
  'address-role': queryChoice('The role of the account.', ADDRESS_ROLES),
  'exclude-close-to': queryBoolean('Don’t count an account that only gets the remainder as a receiver.'),
};

export type TransactionCriteria = Bound<typeof searchParameters>;

/** Whether a transaction matches, besides its round and the index's selections. */
export function transactionFilter(asked: TransactionCriteria): TransactionFilter {
  const { 'tx-type': type, 'sig-type': signatureType, 'note-prefix': notePrefix, 'group-id': group } = asked;
  const { 'after-time': afterTime, 'before-time': beforeTime } = asked;
  const { 'asset-id': assetId = 0n, 'application-id': applicationId = 0n } = asked;
  const filters: (Filter | undefined)[] = [
    addressFilter(asked),
    type === undefined ? undefined : ({ transaction }) => transaction.type === type,
    signatureType === undefined ? undefined : (searched) => searched.signatureType === signatureType,
    notePrefix && (({ transaction: { note } }) => sameBytes(note.subarray(0, notePrefix.length), notePrefix)),
    group && (({ transaction }) => sameBytes(transaction.group, group)),
    afterTime === undefined ? undefined : ({ header }) => Number(header.timestamp) > afterTime,
    beforeTime === undefined ? undefined : ({ header }) => Number(header.timestamp) < beforeTime,
    amountFilter(asked),
    assetId === 0n ? undefined : ({ placed }) => assetOf(placed) === assetId,
    applicationId === 0n ? undefined : ({ placed }) => applicationOf(placed) === applicationId,
    asked['rekey-to'] === true ? ({ transaction }) => !isAllZero(transaction.rekeyTo) : undefined,
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

function addressFilter({ address, 'address-role': role, ...asked }: TransactionCriteria): Filter | undefined {
  if (address === undefined) return undefined;
  return ({ transaction }) => {
    const closeTo = asked['exclude-close-to'] !== true;
    const those = role === undefined ? participantsOf(transaction) : addressesInRole(transaction, role, { closeTo });
    return those.some((one) => sameBytes(one, address));
  };
}

/** Amounts in µAlgo are those of payments, amounts of assets those of asset transfers. */
function amountFilter(asked: TransactionCriteria): Filter | undefined {
  if (asked['currency-greater-than'] === undefined && asked['currency-less-than'] === undefined) return undefined;
  const ofAssets = asked['asset-id'] !== undefined || asked['tx-type'] === 'axfer';
  return ({ transaction }) => {
    if (transaction.type !== (ofAssets ? 'axfer' : 'pay')) return false;
    return isWithin(ofAssets ? transaction.assetAmount : transaction.amount, asked);
  };
}

function signatureTypeOf(placed: TransactionInBlock): SignatureType {
  if (!multisig.isUnset(placed.multisig)) return 'msig';
  if (!logicSignature.isUnset(placed.logicSignature)) return 'lsig';
  return pqSignature.isUnset(placed.pqSignature) ? 'sig' : 'pqsig';
}
