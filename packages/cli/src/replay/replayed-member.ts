import { isShown } from '@avm402/algorand/shown-transaction';
import { decodeMember, encodeSignedTransaction } from '@avm402/algorand/signed-transaction';

/**
 * A member of a recorded group as it is run again. If its signature was left out, it has none; a simulation needs none.
 */
export function replayedMember(member: Uint8Array): Uint8Array {
  const { signed } = decodeMember(member);
  const { txn, authAddress } = signed;
  return encodeSignedTransaction(isShown(signed) ? { txn, ...(authAddress !== undefined && { authAddress }) } : signed);
}
