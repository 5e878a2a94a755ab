import { refused } from '../errors.ts';
import { MsgpackSource } from './msgpack-source.ts';
import { signedTransaction, type SignedTransaction } from './schema/signed-transaction.ts';
import { EndOfInput } from './source.ts';

export interface GroupLimits {
  readonly maxSize: number;
  /** Whether the request went on after these bytes, beyond the limit. */
  readonly cut: boolean;
}

/**
 * Decodes signed transactions written one after another (algod's daemon/algod/api/server/v2, decodeTxGroup). A
 * transaction that is cut off at the end of the bytes is ignored.
 * @throws DevnodeError 400 with algod's text
 */
export function decodeGroup(bytes: Uint8Array, { maxSize, cut }: GroupLimits): SignedTransaction[] {
  const source = new MsgpackSource(bytes, { cut });
  const group: SignedTransaction[] = [];
  try {
    while (!source.atEnd) {
      const signed = signedTransaction.read(source, signedTransaction.zero);
      if (group.length === maxSize) throw refused(`max group size is ${maxSize}`);
      group.push(signed);
    }
  } catch (error) {
    if (!(error instanceof EndOfInput)) throw error;
  }
  if (group.length === 0) throw refused('empty txgroup');
  return group;
}
