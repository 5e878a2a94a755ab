import type { AddressKey } from '../../transaction/address-key.ts';
import { EMPTY_ACCOUNT, isEmptyAccount, type Account, type AssetHolding } from '../account.ts';
import { Changes, type TableView } from './table.ts';
import { holdingKey, perTable, type CreatedAsset, type KeyOf, type StoredValue, type TableName } from './tables.ts';

export type TableViews = { readonly [Name in TableName]: TableView<KeyOf<Name>, StoredValue<Name>> };
export type ChangedTables = { readonly [Name in TableName]: Changes<KeyOf<Name>, StoredValue<Name>> };

/** The contents of the ledger: a table for each kind of state. */
export abstract class State {
  abstract readonly tables: TableViews;

  /** An account; empty if it does not exist. */
  account(key: AddressKey): Account {
    return this.tables.accounts.get(key) ?? EMPTY_ACCOUNT;
  }

  holding(owner: AddressKey, assetId: bigint): AssetHolding | undefined {
    return this.tables.holdings.get(holdingKey(owner, assetId));
  }

  asset(assetId: bigint): CreatedAsset | undefined {
    return this.tables.assets.get(assetId);
  }
}

/**
 * Changes laid over a state, which is not modified. Each group is evaluated on a separate delta, which is merged into
 * the block's only when the whole group has passed.
 */
export class StateDelta extends State {
  readonly tables: ChangedTables;

  constructor(below: State, changed?: ChangedTables) {
    super();
    this.tables = perTable<ChangedTables>((name) =>
      changed === undefined ? new Changes(below.tables[name]) : changed[name].over(below.tables[name]),
    );
  }

  setAccount(key: AddressKey, account: Account): void {
    this.tables.accounts.set(key, isEmptyAccount(account) ? undefined : account);
  }

  setHolding(owner: AddressKey, assetId: bigint, holding: AssetHolding | undefined): void {
    this.tables.holdings.set(holdingKey(owner, assetId), holding);
  }

  setAsset(assetId: bigint, asset: CreatedAsset | undefined): void {
    this.tables.assets.set(assetId, asset);
  }

  /** Adds the changes of a delta that was laid over this one. */
  merge(later: StateDelta): void {
    perTable((name) => this.tables[name].merge(later.tables[name]));
  }
}
