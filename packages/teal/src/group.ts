import { parseAddress } from '@avm402/algorand/address';
import {
  type AssetParameters,
  type KeyRegistrationTransaction,
  type Transaction,
  transactionDigest,
} from '@avm402/algorand/transaction';
import {
  BLANK_TRANSACTION,
  ZERO_32,
  ZERO_64,
  type GroupTransaction,
  type TransactionFields,
} from './machine/group-transaction.ts';
import { NO_BYTES } from './machine/stack-value.ts';

export type { GroupTransaction, TransactionFields } from './machine/group-transaction.ts';

const textEncoder = new TextEncoder();

/**
 * A group's transactions in the form that its programs see.
 * @throws AlgorandError `invalid_address`, `invalid_transaction`
 */
export function programGroup(transactions: readonly Transaction[]): GroupTransaction[] {
  return transactions.map((transaction) => ({
    txId: transactionDigest(transaction),
    transaction: { ...BLANK_TRANSACTION, ...headerOf(transaction), ...fieldsOf(transaction) },
  }));
}

function headerOf(transaction: Transaction): Partial<TransactionFields> {
  const { type, sender, fee, firstValid, lastValid, note, lease, group, rekeyTo } = transaction;
  return {
    type,
    sender: parseAddress(sender),
    fee,
    firstValid,
    lastValid,
    note: note ?? NO_BYTES,
    lease: lease ?? ZERO_32,
    group: group ?? ZERO_32,
    rekeyTo: addressOf(rekeyTo),
  };
}

function fieldsOf(transaction: Transaction): Partial<TransactionFields> {
  switch (transaction.type) {
    case 'pay':
      return {
        receiver: addressOf(transaction.receiver),
        amount: transaction.amount,
        closeRemainderTo: addressOf(transaction.closeRemainderTo),
      };
    case 'axfer':
      return {
        transferAsset: transaction.assetId,
        assetAmount: transaction.amount,
        assetReceiver: addressOf(transaction.receiver),
        assetSender: addressOf(transaction.assetSender),
        assetCloseTo: addressOf(transaction.assetCloseTo),
      };
    case 'acfg':
      return { configAsset: transaction.assetId, assetParams: assetOf(transaction.parameters) };
    case 'afrz':
      return {
        freezeAsset: transaction.assetId,
        freezeAccount: addressOf(transaction.freezeAccount),
        assetFrozen: transaction.frozen,
      };
    case 'keyreg':
      break;
  }
  return keyRegistrationFields(transaction);
}

function keyRegistrationFields(transaction: KeyRegistrationTransaction): Partial<TransactionFields> {
  return {
    voteKey: transaction.voteKey ?? ZERO_32,
    selectionKey: transaction.selectionKey ?? ZERO_32,
    stateProofKey: transaction.stateProofKey ?? ZERO_64,
    voteFirstValid: transaction.voteFirst ?? 0n,
    voteLastValid: transaction.voteLast ?? 0n,
    voteKeyDilution: transaction.voteKeyDilution ?? 0n,
    nonparticipation: transaction.nonParticipation ?? false,
  };
}

function assetOf(parameters: AssetParameters = {}): TransactionFields['assetParams'] {
  const { total, decimals, defaultFrozen, metadataHash } = parameters;
  return {
    total: total ?? 0n,
    decimals: decimals ?? 0,
    defaultFrozen: defaultFrozen ?? false,
    unitName: textEncoder.encode(parameters.unitName),
    name: textEncoder.encode(parameters.assetName),
    url: textEncoder.encode(parameters.url),
    metadataHash: metadataHash ?? ZERO_32,
    manager: addressOf(parameters.manager),
    reserve: addressOf(parameters.reserve),
    freeze: addressOf(parameters.freeze),
    clawback: addressOf(parameters.clawback),
  };
}

function addressOf(text: string | undefined): Uint8Array {
  return text === undefined ? ZERO_32 : parseAddress(text);
}
