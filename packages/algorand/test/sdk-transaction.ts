import algosdk from 'algosdk';
import type { Transaction } from '../src/transaction.ts';

/** The same transaction as an object of algosdk. */
export function sdkTransaction(txn: Transaction): algosdk.Transaction {
  return new algosdk.Transaction({
    sender: txn.sender,
    note: txn.note,
    lease: txn.lease,
    rekeyTo: txn.rekeyTo,
    suggestedParams: {
      flatFee: true,
      fee: txn.fee,
      minFee: 0n,
      firstValid: txn.firstValid,
      lastValid: txn.lastValid,
      genesisID: txn.genesisId,
      genesisHash: txn.genesisHash,
    },
    ...TYPE_PARAMS[txn.type](txn as never),
  } as algosdk.TransactionParams);
}

const TYPE_PARAMS: { [T in Transaction['type']]: (txn: Extract<Transaction, { type: T }>) => object } = {
  pay: (txn) => ({
    type: algosdk.TransactionType.pay,
    paymentParams: pick(txn, ['receiver', 'amount', 'closeRemainderTo']),
  }),
  axfer: ({ assetId: assetIndex, assetCloseTo: closeRemainderTo, receiver, amount, assetSender }) => ({
    type: algosdk.TransactionType.axfer,
    assetTransferParams: { assetIndex, receiver, amount, assetSender, closeRemainderTo },
  }),
  acfg: ({ assetId: assetIndex, parameters: { url: assetURL, metadataHash: assetMetadataHash, ...rest } = {} }) => ({
    type: algosdk.TransactionType.acfg,
    assetConfigParams: { assetIndex, assetURL, assetMetadataHash, ...rest },
  }),
  afrz: ({ assetId: assetIndex, freezeAccount: freezeTarget, frozen }) => ({
    type: algosdk.TransactionType.afrz,
    assetFreezeParams: { assetIndex, freezeTarget, frozen },
  }),
  keyreg: (txn) => ({
    type: algosdk.TransactionType.keyreg,
    keyregParams: pick(txn, [...VOTING_PROPERTIES, 'nonParticipation']),
  }),
};

const VOTING_PROPERTIES = [
  'voteKey',
  'selectionKey',
  'stateProofKey',
  'voteFirst',
  'voteLast',
  'voteKeyDilution',
] as const;

function pick<T extends object>(value: T, keys: readonly (keyof T)[]): object {
  return Object.fromEntries(keys.filter((key) => value[key] !== undefined).map((key) => [key, value[key]]));
}
