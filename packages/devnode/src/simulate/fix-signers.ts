import { isAllZero, sameBytes, ZERO_32 } from '../codec/bytes.ts';
import { addressKey, type AddressKey } from '../transaction/address-key.ts';
import type { State } from '../ledger/state/state.ts';
import { authorizerOf, type GroupMember } from '../transaction/member.ts';

/** Gives unsigned members the authorizer that their accounts will have at that point; rekeys count. */
export class FixedSigners {
  /** The members, unsigned ones with their authorizers as far as these are known. */
  readonly members: GroupMember[];
  /** The authorizers that were set, by the position of the member. */
  readonly signers: (Uint8Array | undefined)[] = [];
  readonly #isUnsigned: (member: GroupMember) => boolean;

  constructor(members: readonly GroupMember[], isUnsigned: (member: GroupMember) => boolean) {
    this.members = [...members];
    this.#isUnsigned = isUnsigned;
  }

  /**
   * Sets those from a member up to the next call, because its program may rekey accounts: to be repeated after each
   * program with the state that it leaves.
   */
  fixToCall(first: number, state: State): void {
    const call = this.members.findIndex(({ transaction }, index) => index >= first && transaction.type === 'appl');
    this.#fixTo(first, call === -1 ? this.members.length : call + 1, state);
  }

  /** Sets all, as if no program rekeyed an account. */
  fixAll(state: State): void {
    this.#fixTo(0, this.members.length, state);
  }

  #fixTo(first: number, end: number, state: State): void {
    const rekeyed = new Map<AddressKey, Uint8Array>();
    for (const [offset, { transaction }] of this.members.slice(first, end).entries()) {
      const { sender, rekeyTo } = transaction;
      const key = addressKey(sender);
      const expected = rekeyed.get(key) ?? state.account(key).authAddress ?? sender;
      if (!isAllZero(rekeyTo)) rekeyed.set(key, rekeyTo);
      this.#fix(first + offset, expected);
    }
  }

  #fix(index: number, expected: Uint8Array): void {
    const member = this.members[index];
    if (member === undefined || !this.#isUnsigned(member)) return;
    if (sameBytes(authorizerOf(member.signed), expected)) return;
    const authAddress = sameBytes(expected, member.transaction.sender) ? ZERO_32 : expected;
    this.members[index] = { ...member, signed: { ...member.signed, authAddress } };
    this.signers[index] = expected;
  }
}
