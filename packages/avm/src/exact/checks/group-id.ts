import { computeGroupId } from '@avm402/algorand/group';
import { X402Error } from '@avm402/core/errors';
import type { PaymentGroup } from '../payment.ts';

/**
 * Transactions sent together name one group, and its id is their own hash (algod refuses others as an incomplete
 * group; a lone transaction may go without). Throws X402Error `invalid_exact_avm_invalid_group_id` for missing or
 * differing ids, `invalid_exact_avm_group_id_mismatch` for one that belongs to other transactions.
 */
export function checkGroupId({ members }: PaymentGroup): void {
  const transactions = members.map(({ signed }) => signed.txn);
  const [first] = transactions;
  const isLone = transactions.length === 1 && first?.group === undefined;
  if (isLone) return;
  if (transactions.some(({ group }) => group === undefined || !sameBytes(group, first?.group))) {
    throw new X402Error('invalid_exact_avm_invalid_group_id', {
      message: 'the transactions do not all carry one group id',
    });
  }
  if (!sameBytes(computeGroupId(transactions), first?.group)) {
    throw new X402Error('invalid_exact_avm_group_id_mismatch', {
      message: 'the group id is not the hash of these transactions',
    });
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && a.length === b.length && a.every((byte, index) => byte === b[index]);
}
