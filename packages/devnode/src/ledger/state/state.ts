import type { AddressKey } from '../../transaction/address-key.ts';
import { EMPTY_ACCOUNT, isEmptyAccount, type Account, type AssetHolding, type AssetParams } from '../account.ts';
import { Changes, type TableView } from './table.ts';

/** An asset with who made it. */
export interface CreatedAsset {
  readonly creator: AddressKey;
  readonly params: AssetParams;
}

/** An account and an asset as one key: the owner's 32 characters, then the id. */
export type HoldingKey = string;

export function holdingKey(owner: AddressKey, assetId: bigint): HoldingKey {
  return owner + String(assetId);
}

export function ownerAndAsset(key: HoldingKey): { readonly owner: AddressKey; readonly assetId: bigint } {
  return { owner: key.slice(0, 32), assetId: BigInt(key.slice(32)) };
}

/** What the ledger holds: a table for each kind of state. */
export abstract class State {
  abstract readonly accounts: TableView<AddressKey, Account>;
  abstract readonly holdings: TableView<HoldingKey, AssetHolding>;
  abstract readonly assets: TableView<bigint, CreatedAsset>;

  /** An account; empty if there is none. */
  account(key: AddressKey): Account {
    return this.accounts.get(key) ?? EMPTY_ACCOUNT;
  }

  holding(owner: AddressKey, assetId: bigint): AssetHolding | undefined {
    return this.holdings.get(holdingKey(owner, assetId));
  }

  asset(assetId: bigint): CreatedAsset | undefined {
    return this.assets.get(assetId);
  }
}

/** The tables of changes that make up a delta. */
export interface ChangedTables {
  readonly accounts: Changes<AddressKey, Account>;
  readonly holdings: Changes<HoldingKey, AssetHolding>;
  readonly assets: Changes<bigint, CreatedAsset>;
}

/**
 * Changes laid over a state, which stays as it is. A group is evaluated on a delta of its own, which is merged into its
 * block's only when the whole group has passed.
 */
export class StateDelta extends State implements ChangedTables {
  readonly accounts: Changes<AddressKey, Account>;
  readonly holdings: Changes<HoldingKey, AssetHolding>;
  readonly assets: Changes<bigint, CreatedAsset>;

  constructor(below: State, changed?: ChangedTables) {
    super();
    this.accounts = changed?.accounts.over(below.accounts) ?? new Changes(below.accounts);
    this.holdings = changed?.holdings.over(below.holdings) ?? new Changes(below.holdings);
    this.assets = changed?.assets.over(below.assets) ?? new Changes(below.assets);
  }

  setAccount(key: AddressKey, account: Account): void {
    this.accounts.set(key, isEmptyAccount(account) ? undefined : account);
  }

  setHolding(owner: AddressKey, assetId: bigint, holding: AssetHolding | undefined): void {
    this.holdings.set(holdingKey(owner, assetId), holding);
  }

  setAsset(assetId: bigint, asset: CreatedAsset | undefined): void {
    this.assets.set(assetId, asset);
  }

  /** Takes over the changes of a delta that was laid over this one. */
  merge(later: StateDelta): void {
    this.accounts.merge(later.accounts);
    this.holdings.merge(later.holdings);
    this.assets.merge(later.assets);
  }
}
