import { formatAddress } from '@avm402/algorand/address';
import { decodeBareBase32, isBytes } from '@avm402/teal/go';

const KEY_BYTES = 32;
const CHECKSUM_BYTES = 4;

/** The 32 bytes of an address in the name of a box, or the reason for refusing it, which differs from other places. */
export function addressOfText(text: string): Uint8Array | string {
  const bytes = decodeBareBase32(text);
  const refused = `cannot cast encoded address string (${text}) to address`;
  if (!isBytes(bytes)) return `${refused}: base32 decode error: illegal base32 data at input byte ${bytes.corruptAt}`;
  if (bytes.length !== KEY_BYTES + CHECKSUM_BYTES) {
    return `${refused}: decoded byte length should equal 36 with address and checksum`;
  }
  const key = Uint8Array.from(bytes.slice(0, KEY_BYTES));
  const [expected, given] = [checksum(decodeBareBase32(formatAddress(key))), checksum(bytes)];
  return expected === given ? key : `${refused}: decoded checksum mismatch, [${expected}] != [${given}]`;
}

function checksum(address: ReturnType<typeof decodeBareBase32>): string {
  return isBytes(address) ? address.slice(KEY_BYTES).join(' ') : '';
}
