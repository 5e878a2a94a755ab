import { formatAddress } from '@avm402/algorand/address';
import { decodeBareBase32, isBytes } from './base32.ts';
import type { ByteText } from './byte-text.ts';

const PUBLIC_KEY_BYTES = 32;

/** The 32 bytes of an address, or algod's reason for refusing the text. */
export function parseAddressText(text: ByteText): Uint8Array | ByteText {
  const decoded = decodeBareBase32(text);
  if (!isBytes(decoded)) return `failed to decode address ${text} from base 32`;
  if (decoded.length < PUBLIC_KEY_BYTES) return `decoded bad addr: ${text}`;
  const publicKey = Uint8Array.from(decoded.slice(0, PUBLIC_KEY_BYTES));
  const canonical = formatAddress(publicKey);
  if (canonical === text) return publicKey;
  const expected = decodeBareBase32(canonical);
  const checksumIsRight = isBytes(expected) && expected.join() === decoded.join();
  return checksumIsRight
    ? `address ${text} is non-canonical`
    : `address ${text} is malformed, checksum verification failed`;
}
