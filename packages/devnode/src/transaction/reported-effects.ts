import { formatAddress } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import { type ApplyData, type EvalDelta, type KeyDeltas, NO_EFFECTS } from '../codec/schema/apply-data.ts';
import { type KeyDeltaRecord, pendingTransaction, type PendingTransaction } from '../codec/schema/pending.ts';
import { signedTransaction } from '../codec/schema/signed-transaction.ts';
import type { Transaction } from '../codec/schema/transaction.ts';
import { byteStringBase64 } from '../codec/text.ts';
import { ascending } from '../codec/ascending.ts';

/** The effects of a transaction as algod's answers about single transactions name them. */
export function effectsOf(
  transaction: Transaction,
  { configAsset, applicationId, closingAmount, assetClosingAmount, evalDelta = NO_EFFECTS }: Partial<ApplyData>,
): Partial<PendingTransaction> {
  const { globals, locals, logs, inner } = evalDelta;
  return {
    assetIndex: configAsset ?? 0n,
    applicationIndex: applicationId ?? 0n,
    closingAmount: closingAmount ?? 0n,
    assetClosingAmount: assetClosingAmount ?? 0n,
    globalDelta: keyDeltas(globals),
    localDeltas: [...locals].map(([index, deltas]) => ({
      address: accountOfDelta(index, transaction, evalDelta),
      delta: keyDeltas(deltas),
    })),
    logs,
    inner: inner?.map((each) =>
      pendingTransaction.of({
        ...effectsOf(each.transaction, each),
        transaction: signedTransaction.of({ transaction: each.transaction }),
      }),
    ),
  };
}

/**
 * The account whose local state changed: 0 is the sender, then come the transaction's accounts, then shared ones. A
 * simulation finds none where the first write to an account was refused.
 */
export function accountOfDelta(
  index: bigint,
  { sender, accounts = [] }: Transaction,
  { sharedAccounts = [] }: Pick<EvalDelta, 'sharedAccounts'>,
): string {
  const address = [sender, ...accounts, ...sharedAccounts][Number(index)];
  return address === undefined ? `Invalid Account Index ${index} in LocalDelta` : formatAddress(address);
}

/** Changed keys in order of their bytes. */
export function keyDeltas(deltas: KeyDeltas): KeyDeltaRecord[] {
  return ascending(deltas).map(([key, { action, bytes, uint }]) => ({
    key: byteStringBase64(key),
    value: { action, bytes: encodeBase64(bytes), uint },
  }));
}
