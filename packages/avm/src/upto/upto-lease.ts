import { decodeGroup } from '@avm402/algorand/group';
import { equalBytes } from '@noble/curves/utils.js';

/**
 * Every lease of this scheme begins so. Whoever signs as its fee payer signs other leases, too, for other reasons: a closer
 * of channels carries a channel's address, which nobody can grind to these bytes.
 */
const PREFIX = new TextEncoder().encode('x402/upto/lease/');

/** Random bytes behind the prefix. */
export const LEASE_RANDOM_BYTES = 16;

/** The lease of 32 bytes with these 16 random ones. */
export function uptoLease(random: Uint8Array): Uint8Array {
  return Uint8Array.from([...PREFIX, ...random]);
}

/** Whether 32 bytes are a lease of this scheme. 32 zero bytes are none: the ledger takes them for no lease at all. */
export function isUptoLease(lease: Uint8Array): boolean {
  return equalBytes(lease.subarray(0, PREFIX.length), PREFIX);
}

/** Whether a group's encoded members are a settlement of this scheme: no other scheme's first member has such a lease. */
export function isUptoGroup(group: Uint8Array): boolean {
  const lease = decodeGroup(group)[0]?.signed.txn.lease;
  return lease !== undefined && isUptoLease(lease);
}
