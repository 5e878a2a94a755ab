import { formatAddress } from '@avm402/algorand/address';

/** 32 bytes as a string of one character per byte: the key in maps of accounts. */
export type AddressKey = string;

/** The key of an address (or of any other bytes). */
export function addressKey(address: Uint8Array): AddressKey {
  return Buffer.from(address.buffer, address.byteOffset, address.byteLength).toString('latin1');
}

export function addressOfKey(key: AddressKey): Uint8Array {
  return Uint8Array.from(Buffer.from(key, 'latin1'));
}

/** The address with its checksum, 58 characters. */
export function addressText(key: AddressKey): string {
  return formatAddress(addressOfKey(key));
}
