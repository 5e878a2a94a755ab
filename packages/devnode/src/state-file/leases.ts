import { bytes64 } from '../codec/bytes.ts';
import { encode } from '../codec/document.ts';
import { uint64 } from '../codec/integer.ts';
import { list } from '../codec/list.ts';
import { field, Struct } from '../codec/struct.ts';
import { addressKey, addressOfKey } from '../transaction/address-key.ts';
import { parts, readPart } from './parts.ts';

/** Leases (sender and lease together) that a block took, with the last round in which each is held. */
export type Leases = ReadonlyMap<string, bigint>;

const leaseList = list(new Struct({ lease: field('k', bytes64), expiry: field('x', uint64) }));

/** Encodes leases in parts that can be read separately. */
export function* encodeLeases(leases: Leases): Generator<Uint8Array> {
  for (const entries of parts(leases)) {
    const records = entries.map(([lease, expiry]) => ({ lease: addressOfKey(lease), expiry }));
    yield encode(leaseList, records);
  }
}

/**
 * Reads all parts.
 * @throws DevnodeError `damaged_state_file`
 */
export function readLeases(encoded: readonly Uint8Array[]): Leases {
  const records = encoded.flatMap((part) => readPart(leaseList, part) ?? []);
  return new Map(records.map(({ lease, expiry }) => [addressKey(lease), expiry]));
}
