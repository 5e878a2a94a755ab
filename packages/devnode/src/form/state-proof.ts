import { parseAddress } from '@avm402/algorand/address';
import { isAllZero, sameBytes } from '../codec/bytes.ts';
import type { Transaction } from '../codec/schema/transaction.ts';

/** The sender of state proofs. Nobody has a key for this account. */
export const STATE_PROOF_SENDER = parseAddress('XM6FEYVJ2XDU2IBH4OT6VZGW75YM63CM4TC6AV6BD3JZXFJUIICYTVB5EU');

/** The problem with the form of an `stpf`, if any (go-algorand data/transactions/stateproof.go). */
export function stateProofProblem({ sender, fee, note, group, rekeyTo, lease }: Transaction): string | undefined {
  if (!sameBytes(sender, STATE_PROOF_SENDER)) return 'sender must be the state-proof sender';
  if (fee !== 0n) return 'fee must be zero in state-proof transaction';
  if (note.length > 0) return 'note must be empty in state-proof transaction';
  if (!isAllZero(group)) return 'group must be zero in state-proof transaction';
  if (!isAllZero(rekeyTo)) return 'rekey must be zero in state-proof transaction';
  return isAllZero(lease) ? undefined : 'lease must be zero in state-proof transaction';
}
