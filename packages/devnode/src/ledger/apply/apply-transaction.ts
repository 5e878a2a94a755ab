import { formatAddress } from '@avm402/algorand/address';
import { isAllZero, sameBytes } from '../../codec/bytes.ts';
import { isTransactionType, type Transaction, type TransactionType } from '../../codec/schema/transaction.ts';
import { DevnodeError } from '../../errors.ts';
import { applyApplicationCall } from './application-call.ts';
import { applyAssetConfiguration } from './asset-configuration.ts';
import { applyAssetFreeze } from './asset-freeze.ts';
import { applyAssetTransfer } from './asset-transfer.ts';
import type { ApplyContext } from './context.ts';
import { applyKeyRegistration } from './key-registration.ts';
import { applyPayment } from './payment.ts';

type Apply = (transaction: Transaction, context: ApplyContext) => void;

const APPLY_TYPE: Readonly<Record<TransactionType, Apply>> = {
  pay: applyPayment,
  axfer: applyAssetTransfer,
  acfg: applyAssetConfiguration,
  afrz: applyAssetFreeze,
  keyreg: applyKeyRegistration,
  appl: applyApplicationCall,
  hb: refuseConsensusTransaction,
  stpf: refuseConsensusTransaction,
};

/**
 * Applies a transaction's effect, apart from its fee, to the state of the context.
 * @throws Refusal with algod's reason
 */
export function applyTransaction(transaction: Transaction, context: ApplyContext): void {
  rekey(transaction, context);
  if (isTransactionType(transaction.type)) APPLY_TYPE[transaction.type](transaction, context);
  else refuseConsensusTransaction(transaction);
}

/** A rekey takes effect before the rest of the transaction, and for the following members of the group. */
function rekey({ rekeyTo, sender }: Transaction, context: ApplyContext): void {
  if (isAllZero(rekeyTo)) return;
  const authAddress = sameBytes(rekeyTo, sender) ? undefined : rekeyTo.slice();
  context.state.changeAccount(context.sender, { authAddress });
}

/**
 * Refuses a heartbeat or a state proof.
 * @throws DevnodeError `unsupported`
 */
export function refuseConsensusTransaction({ type, sender }: Transaction): never {
  const what = type === 'hb' ? 'heartbeats' : 'state proofs';
  // Differs from algod: no-consensus
  throw new DevnodeError(
    'unsupported',
    `this development node does not participate in consensus and accepts no ${what} (sender ${formatAddress(sender)})`,
  );
}
