import { sameBytes } from '@avm402/algorand/bytes';
import { decodeGroup } from '@avm402/algorand/group';

/**
 * The prefix of every lease of the scheme `upto`. The fee payer's account also signs other leases: a closer of channels
 * signs one that is a channel's address, and nobody can find an address that starts with these bytes.
 */
const PREFIX = new TextEncoder().encode('x402/upto/lease/');

/** Number of random bytes after the prefix. */
export const LEASE_RANDOM_BYTES = 16;

/** The 32-byte lease with these 16 random bytes. */
export function uptoLease(random: Uint8Array): Uint8Array {
  return Uint8Array.from([...PREFIX, ...random]);
}

/** Whether 32 bytes are a lease of the scheme `upto`. 32 zero bytes are not: to the ledger they mean no lease. */
export function isUptoLease(lease: Uint8Array): boolean {
  return sameBytes(lease.subarray(0, PREFIX.length), PREFIX);
}

/**
 * Whether a group's encoded members are a settlement of this scheme. In no other scheme does the first member have such
 * a lease.
 */
export function isUptoGroup(group: Uint8Array): boolean {
  const lease = decodeGroup(group)[0]?.signed.txn.lease;
  return lease !== undefined && isUptoLease(lease);
}
