import { encodeBase64 } from '@avm402/algorand/base64';
import { sameBytes } from '@avm402/algorand/bytes';
import { computeGroupId } from '@avm402/algorand/group';
import type { AssetTransferTransaction, PaymentTransaction } from '@avm402/algorand/transaction';
import { X402Error } from '@avm402/core/errors';
import { algorandNetworkLong, networksEqual } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { GroupMember } from '../../wire/group-member.ts';
import type { PaymentGroup } from '../payment.ts';

/** A group of one of the two accepted shapes, with its members identified. */
export interface ExactPayment {
  readonly digest: string;
  /** The transfer that pays the seller. */
  readonly transfer: GroupMember;
  readonly transferTransaction: AssetTransferTransaction;
  /** The transaction that pays the network's fee for both; absent when the payer pays it. */
  readonly feePayer?: { readonly member: GroupMember; readonly transaction: PaymentTransaction };
}

/**
 * Accepts `[axfer]` and `[feePayer pay, axfer]` and nothing else: the sponsor would pay the fee of any extra member.
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

/**
 * Checks that transactions sent together name one group and that its id is their own hash (algod refuses others as an
 * incomplete group; a lone transaction may have no group).
 * @throws X402Error `invalid_exact_avm_invalid_group_id` for missing or differing ids,
 * `invalid_exact_avm_group_id_mismatch` for one that belongs to other transactions
 */
export function checkGroupId({ members }: PaymentGroup): void {
  const transactions = members.map(({ signed }) => signed.txn);
  const id = transactions[0]?.group;
  if (transactions.length === 1 && id === undefined) return;
  if (id === undefined || transactions.some(({ group }) => group === undefined || !sameBytes(group, id))) {
    throw new X402Error('invalid_exact_avm_invalid_group_id', {
      message: 'the transactions do not all carry one group id',
    });
  }
  if (!sameBytes(computeGroupId(transactions), id)) {
    throw new X402Error('invalid_exact_avm_group_id_mismatch', {
      message: 'the group id is not the hash of these transactions',
    });
  }
}

/**
 * Checks that every transaction belongs to the requested network.
 * @throws X402Error `invalid_exact_avm_genesis_hash_mismatch`
 */
export function checkGenesisHash({ members }: PaymentGroup, { network }: PaymentRequirements): void {
  let right: string | undefined;
  for (const [index, { signed }] of members.entries()) {
    const hash = encodeBase64(signed.txn.genesisHash);
    if (hash === right || networksEqual(algorandNetworkLong(hash), network)) {
      right = hash;
      continue;
    }
    throw new X402Error('invalid_exact_avm_genesis_hash_mismatch', {
      message: `transaction ${index} is of the network with genesis hash ${hash}, not of ${network}`,
    });
  }
}
