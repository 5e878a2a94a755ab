import type { Account, AssetHolding, AssetParams } from './account.ts';
import type { AddressKey } from '../transaction/address-key.ts';

/** An asset with who made it. */
export interface CreatedAsset {
  readonly creator: AddressKey;
  readonly params: AssetParams;
}

/** What can be read of accounts and assets, wherever it is kept. */
export interface State {
  /** An account; empty if there is none. */
  account(key: AddressKey): Account;
  holding(key: AddressKey, assetId: bigint): AssetHolding | undefined;
  asset(assetId: bigint): CreatedAsset | undefined;
}

/** A holding as it was or will be; without `holding` there is none. */
export interface HoldingChange {
  readonly owner: AddressKey;
  readonly assetId: bigint;
  readonly holding: AssetHolding | undefined;
}

/**
 * Changes laid over a state, which stays as it is. A group is evaluated on a delta of its own, which is merged into its
 * block's only when the whole group has passed.
 */
export class StateDelta implements State {
  readonly accounts = new Map<AddressKey, Account>();
  readonly holdings = new Map<string, HoldingChange>();
  readonly assets = new Map<bigint, CreatedAsset | undefined>();
  #parent: State;

  constructor(parent: State) {
    this.#parent = parent;
  }

  /** Lays the changes over another state, which says the same as the one before. */
  layOver(parent: State): void {
    this.#parent = parent;
  }

  account(key: AddressKey): Account {
    return this.accounts.get(key) ?? this.#parent.account(key);
  }

  holding(key: AddressKey, assetId: bigint): AssetHolding | undefined {
    const change = this.holdingChange(key, assetId);
    return change === undefined ? this.#parent.holding(key, assetId) : change.holding;
  }

  /** What this delta itself says of a holding. */
  holdingChange(owner: AddressKey, assetId: bigint): HoldingChange | undefined {
    return this.holdings.get(holdingKey(owner, assetId));
  }

  asset(assetId: bigint): CreatedAsset | undefined {
    return this.assets.has(assetId) ? this.assets.get(assetId) : this.#parent.asset(assetId);
  }

  setAccount(key: AddressKey, account: Account): void {
    this.accounts.set(key, account);
  }

  setHolding(owner: AddressKey, assetId: bigint, holding: AssetHolding | undefined): void {
    this.holdings.set(holdingKey(owner, assetId), { owner, assetId, holding });
  }

  setAsset(assetId: bigint, asset: CreatedAsset | undefined): void {
    this.assets.set(assetId, asset);
  }

  /** Takes over another delta's changes, which was laid over this one. */
  merge(child: StateDelta): void {
    for (const [key, account] of child.accounts) this.accounts.set(key, account);
    for (const [key, change] of child.holdings) this.holdings.set(key, change);
    for (const [assetId, asset] of child.assets) this.assets.set(assetId, asset);
  }
}

function holdingKey(owner: AddressKey, assetId: bigint): string {
  return owner + String(assetId);
}
