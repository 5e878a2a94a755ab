import { decodeGroup } from '@avm402/algorand/group';
import { isUptoLease, UPTO_LEASE_PREFIX } from '../signing/scheme-programs.ts';

/** Number of random bytes after the prefix. */
export const LEASE_RANDOM_BYTES = 16;

/** The 32-byte lease with these 16 random bytes. */
export function uptoLease(random: Uint8Array): Uint8Array {
  return Uint8Array.from([...UPTO_LEASE_PREFIX, ...random]);
}

/**
 * Whether a group's encoded members are a settlement of this scheme. In no other scheme does the first member have such
 * a lease.
 */
export function isUptoGroup(group: Uint8Array): boolean {
  const lease = decodeGroup(group)[0]?.signed.txn.lease;
  return lease !== undefined && isUptoLease(lease);
}
