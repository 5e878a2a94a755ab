import { formatAddress } from '@avm402/algorand/address';
import { leadingBase32 } from './leading-base32.ts';

const PUBLIC_KEY_BYTES = 32;
const ADDRESS_BYTES = 36;
// The number of bytes that a last, incomplete run of base32 characters gives; Go's decoder ignores impossible runs.
const BYTES_OF_RUN = [0, 0, 1, 0, 2, 3, 0, 4] as const;

/** The 32 bytes of an address, or algod's reason for refusing the text. */
export function parseAddressText(text: string): Uint8Array | string {
  if (!/^[A-Z2-7]*$/.test(text)) return `failed to decode address ${text} from base 32`;
  const decodedBytes = Math.floor(text.length / 8) * 5 + (BYTES_OF_RUN[text.length % 8] ?? 0);
  if (decodedBytes < PUBLIC_KEY_BYTES) return `decoded bad addr: ${text}`;
  const publicKey = leadingBase32(text, PUBLIC_KEY_BYTES);
  const canonical = formatAddress(publicKey);
  if (canonical === text) return publicKey;
  const checksumIsRight = decodedBytes === ADDRESS_BYTES && sameBytes(leadingBase32(text, ADDRESS_BYTES), canonical);
  return checksumIsRight
    ? `address ${text} is non-canonical`
    : `address ${text} is malformed, checksum verification failed`;
}

function sameBytes(decoded: Uint8Array, canonical: string): boolean {
  return Buffer.compare(decoded, leadingBase32(canonical, ADDRESS_BYTES)) === 0;
}
