import { isAllZero, sameBytes, ZERO_32 } from '../codec/bytes.ts';
import { addressKey, type AddressKey } from '../transaction/address-key.ts';
import type { State } from '../ledger/state/state.ts';
import { authorizerOf, type GroupMember } from '../transaction/member.ts';

/** A member. If `fixedSigner` is set, its authorizer was replaced by that of its account. */
export interface FixedMember {
  readonly member: GroupMember;
  readonly fixedSigner: Uint8Array | undefined;
}

/** Gives unsigned members the authorizer that their accounts will have at that point; rekeys inside the group count. */
export function fixSigners(
  members: readonly GroupMember[],
  state: State,
  isUnsigned: (member: GroupMember) => boolean,
): FixedMember[] {
  const rekeyed = new Map<AddressKey, Uint8Array>();
  return members.map((member) => {
    const { sender, rekeyTo } = member.transaction;
    const key = addressKey(sender);
    const expected = rekeyed.get(key) ?? state.account(key).authAddress ?? sender;
    if (!isAllZero(rekeyTo)) rekeyed.set(key, rekeyTo);
    if (!isUnsigned(member) || sameBytes(authorizerOf(member.signed), expected))
      return { member, fixedSigner: undefined };
    const authAddress = sameBytes(expected, sender) ? ZERO_32 : expected;
    return { member: { ...member, signed: { ...member.signed, authAddress } }, fixedSigner: expected };
  });
}
