import type { AssetTransferTransaction, PaymentTransaction } from '@avm402/algorand/transaction';
import { X402Error } from '@avm402/core/errors';
import type { GroupMember, PaymentGroup } from '../payment.ts';

/** A group of one of the two shapes that are accepted, with its members told apart. */
export interface ExactPayment {
  readonly digest: string;
  /** What pays the seller. */
  readonly transfer: GroupMember;
  readonly transferTransaction: AssetTransferTransaction;
  /** What pays the network's fee for both; absent when the payer pays it himself. */
  readonly feePayer?: { readonly member: GroupMember; readonly transaction: PaymentTransaction };
}

/**
 * A payment is `[axfer]`, or `[feePayer pay, axfer]`, and nothing else: anything that rode along would ride on the
 * sponsor's fee.
 * @throws X402Error `invalid_exact_avm_not_asset_transfer`, `invalid_exact_avm_group_shape`
 */
export function groupShape(group: PaymentGroup): ExactPayment {
  const transfer = group.payment;
  const { txn: transferTransaction } = transfer.signed;
  if (transferTransaction.type !== 'axfer') {
    throw new X402Error('invalid_exact_avm_not_asset_transfer', {
      message: `the payment must be an asset transfer (axfer), not ${transferTransaction.type}`,
    });
  }
  const payment = { digest: group.digest, transfer, transferTransaction };
  const [first, second] = group.members;
  if (group.members.length === 1) return payment;
  const feePayer = first?.signed.txn;
  if (group.members.length !== 2 || second !== transfer || first === undefined || feePayer?.type !== 'pay') {
    const shape = group.members.map(({ signed }) => signed.txn.type).join(', ');
    throw new X402Error('invalid_exact_avm_group_shape', {
      message: `a payment group is [axfer] or [pay by the fee payer, axfer]; this one is [${shape}]`,
    });
  }
  return { ...payment, feePayer: { member: first, transaction: feePayer } };
}
