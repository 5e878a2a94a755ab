import type { State } from '../ledger/state/state.ts';
import { FixedSigners } from '../simulate/fix-signers.ts';
import { addressKey, addressOfKey, type AddressKey } from '../transaction/address-key.ts';
import type { GroupMember } from '../transaction/member.ts';
import { isUnsigned } from '../verify/unsigned.ts';

/** The accounts that need not sign what they send. */
export class Impersonation {
  readonly #accounts = new Set<AddressKey>();

  get addresses(): readonly Uint8Array[] {
    return Array.from(this.#accounts, addressOfKey);
  }

  start(address: Uint8Array): void {
    this.#accounts.add(addressKey(address));
  }

  /** Gives whether the account was impersonated. */
  stop(address: Uint8Array): boolean {
    return this.#accounts.delete(addressKey(address));
  }

  clear(): void {
    this.#accounts.clear();
  }

  /** Whether a transaction is unsigned and needs no signature. */
  covers({ signed, transaction }: GroupMember): boolean {
    return this.#accounts.size > 0 && this.#accounts.has(addressKey(transaction.sender)) && isUnsigned(signed);
  }

  /** Gives covered members their accounts' authorizer, as if it had signed them. */
  authorize(group: readonly GroupMember[], state: State): readonly GroupMember[] {
    if (!group.some((member) => this.covers(member))) return group;
    const fixed = new FixedSigners(group, (member) => this.covers(member));
    fixed.fixAll(state);
    return fixed.members;
  }
}
