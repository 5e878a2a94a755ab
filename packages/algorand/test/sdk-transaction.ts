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
    ...typeParams(txn),
  } as algosdk.TransactionParams);
}

function typeParams(txn: Transaction): object {
  switch (txn.type) {
    case 'pay':
      return { type: txn.type, paymentParams: pick(txn, ['receiver', 'amount', 'closeRemainderTo']) };
    case 'axfer': {
      const { assetId: assetIndex, assetCloseTo: closeRemainderTo, receiver, amount, assetSender } = txn;
      const assetTransferParams = { assetIndex, receiver, amount, assetSender, closeRemainderTo };
      return { type: txn.type, assetTransferParams };
    }
    case 'acfg': {
      const { url: assetURL, metadataHash: assetMetadataHash, ...rest } = txn.parameters ?? {};
      return { type: txn.type, assetConfigParams: { assetIndex: txn.assetId, assetURL, assetMetadataHash, ...rest } };
    }
    case 'afrz': {
      const { assetId: assetIndex, freezeAccount: freezeTarget, frozen } = txn;
      return { type: txn.type, assetFreezeParams: { assetIndex, freezeTarget, frozen } };
    }
    case 'keyreg': {
      const keys = ['voteKey', 'selectionKey', 'stateProofKey', 'voteFirst', 'voteLast', 'voteKeyDilution'] as const;
      return { type: txn.type, keyregParams: pick(txn, [...keys, 'nonParticipation']) };
    }
  }
}

function pick<T extends object>(value: T, keys: readonly (keyof T)[]): object {
  return Object.fromEntries(keys.filter((key) => value[key] !== undefined).map((key) => [key, value[key]]));
}
