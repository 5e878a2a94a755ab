import { sha512_256 } from '@avm402/algorand/hash';

const PREFIX = new TextEncoder().encode('appID');
const MAX_KNOWN = 1024;
const known = new Map<bigint, Uint8Array>();

/** The 32 bytes of the account that an application controls. */
export function applicationAddress(applicationId: bigint): Uint8Array {
  const before = known.get(applicationId);
  if (before !== undefined) return before;
  const bytes = new Uint8Array(PREFIX.length + 8);
  bytes.set(PREFIX);
  new DataView(bytes.buffer).setBigUint64(PREFIX.length, applicationId);
  const address = sha512_256(bytes);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(applicationId, address);
  return address;
}
