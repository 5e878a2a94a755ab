import { refused } from '../errors.ts';
import { decodeBareBase32, isBytes } from '@avm402/teal/go';

const TRANSACTION_ID_BYTES = 32;

/** Reads the 32 bytes of a transaction id; the four unused bits of its last character are ignored. */
export function parseTransactionId(text: string): Uint8Array {
  const decoded = decodeBareBase32(text);
  if (isBytes(decoded) && decoded.length === TRANSACTION_ID_BYTES) return Uint8Array.from(decoded);
  throw refused('no valid transaction ID was specified');
}
