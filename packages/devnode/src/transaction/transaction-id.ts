import { refused } from '../errors.ts';
import { decodeBareBase32, isBytes } from '@avm402/teal/go';

const TRANSACTION_ID_BYTES = 32;

/** Reads the 32 bytes of a transaction id; the four unused bits of its last character are ignored. */
export function parseTransactionId(text: string): Uint8Array {
  const decoded = decodeBareBase32(text);
  if (isBytes(decoded) && decoded.length === TRANSACTION_ID_BYTES) return Uint8Array.from(decoded);
  throw refused('no valid transaction ID was specified');
}

/** algod's answer for a transaction that it does not know, or no longer knows. */
export const TRANSACTION_NOT_FOUND =
  'could not find the transaction in the transaction pool or in the last 1000 confirmed rounds';
