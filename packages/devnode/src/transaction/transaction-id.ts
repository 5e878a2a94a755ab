import { DevnodeError } from '../errors.ts';
import { leadingBase32 } from '../codec/leading-base32.ts';

const TRANSACTION_ID = /^[A-Z2-7]{52}$/;
const TRANSACTION_ID_BYTES = 32;

/** Reads the 32 bytes of a transaction id; the four unused bits of its last character are ignored. */
export function parseTransactionId(text: string): Uint8Array {
  if (!TRANSACTION_ID.test(text)) throw new DevnodeError('refused', 'no valid transaction ID was specified');
  return leadingBase32(text, TRANSACTION_ID_BYTES);
}

/** algod's answer for a transaction that it does not know, or no longer knows. */
export const TRANSACTION_NOT_FOUND =
  'could not find the transaction in the transaction pool or in the last 1000 confirmed rounds';
