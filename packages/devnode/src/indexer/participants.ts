import { isAllZero } from '../codec/bytes.ts';
import type { InnerTransaction } from '../codec/schema/apply-data.ts';
import type { Transaction } from '../codec/schema/transaction.ts';

/** The roles of an account in a transaction, as named in `address-role`. */
export const ADDRESS_ROLES = ['sender', 'receiver', 'freeze-target'] as const;
type AddressRole = (typeof ADDRESS_ROLES)[number];

/** The accounts in one role. With `closeTo`, those that receive the remainder on a close count as receivers. */
export function addressesInRole(
  transaction: Transaction,
  role: AddressRole,
  { closeTo }: { readonly closeTo: boolean },
): readonly Uint8Array[] {
  const { type, sender, assetSender, closeRemainderTo, assetCloseTo, freezeAccount } = transaction;
  if (role === 'sender') return [sender, ...ifNamed(assetSender)];
  if (role === 'freeze-target') return type === 'afrz' ? [freezeAccount] : [];
  return closeTo ? [...receivers(transaction), ...ifNamed(closeRemainderTo, assetCloseTo)] : receivers(transaction);
}

/** The zero address can be a receiver; what it receives is lost. */
function receivers({ type, receiver, assetReceiver }: Transaction): Uint8Array[] {
  if (type === 'pay') return [receiver];
  return type === 'axfer' ? [assetReceiver] : [];
}

function ifNamed(...addresses: Uint8Array[]): Uint8Array[] {
  return addresses.filter((address) => !isAllZero(address));
}

/** All accounts that take part in a transaction. */
export function participantsOf(transaction: Transaction): readonly Uint8Array[] {
  const inRoles = ADDRESS_ROLES.flatMap((role) => addressesInRole(transaction, role, { closeTo: true }));
  return [...inRoles, ...(transaction.accounts ?? [])];
}

/** The asset that a transaction concerns, also one that it creates; 0: none. */
export function assetOf({ transaction, configAsset }: InnerTransaction): bigint {
  const { transferAsset, freezeAsset, configAsset: configured } = transaction;
  return transferAsset || freezeAsset || configured || configAsset;
}
