import { equalBytes } from '@noble/curves/utils.js';
import { programCode } from './program-template.ts';

/** The bytes that `channel.teal` assembles to after its constants. */
export const CHANNEL_CODE = programCode(
  'MQEURDIRJwUSRDEQgQQSQAANMQgURDEJJwQSREIAcjERJwYXEkQxEzIDEkQxFCoSQAArMSAyAxJEMRQxABJAABQxFCgSRDEV' +
    'KBJEMQInBxcNREIAPDEVMgMSREIAMzMAACsSRDMABjEAEkQxFSgSMSAyAxIQMRUyAxIxICgSEBFEMRJBAAsxEi4XDkQuLSkE' +
    'RIEBQw==',
);

/** The bytes that `upto.teal` assembles to after its constants. */
export const UPTO_CODE = programCode(
  'MQEURDIRKhJEMRErFxJEMRQoEkQxEicEFw5EMRMyAxJEMRUyAxJEMSAyAxJEMQYnBhJEMQQnBRcSRDMAACkSRDMABicGEkSBAUM=',
);

/** Whether a program is that of a scheme of its own, and so never pays by another. */
export function belongsToScheme(program: Uint8Array): boolean {
  return [CHANNEL_CODE, UPTO_CODE].some((code) => equalBytes(program.slice(-code.length), code));
}

/**
 * The prefix of every lease of the scheme `upto`. The fee payer's account also signs other leases: a closer of channels
 * signs one that is a channel's address, and nobody can find an address that starts with these bytes.
 */
export const UPTO_LEASE_PREFIX = new TextEncoder().encode('x402/upto/lease/');

/** Whether 32 bytes are a lease of the scheme `upto`. 32 zero bytes are not: to the ledger they mean no lease. */
export function isUptoLease(lease: Uint8Array): boolean {
  return equalBytes(lease.subarray(0, UPTO_LEASE_PREFIX.length), UPTO_LEASE_PREFIX);
}
