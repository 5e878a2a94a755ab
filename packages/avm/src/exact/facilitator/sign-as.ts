import type { Transaction } from '@avm402/algorand/transaction';
import { X402Error } from '@avm402/core/errors';
import type { Sponsor } from './facilitator-network.ts';

/**
 * The transaction, signed by the one of the sponsor's accounts that sends it.
 * @throws X402Error `invalid_exact_avm_unsigned_non_facilitator` if none does
 */
export function signAs({ accounts }: Pick<Sponsor, 'accounts'>, transaction: Transaction): Uint8Array {
  const account = accounts.get(transaction.sender);
  if (account === undefined) throw new X402Error('invalid_exact_avm_unsigned_non_facilitator');
  return account.signTransaction(transaction);
}
