import type { AddressKey } from '../../transaction/address-key.ts';
import type { LocalState } from '../../codec/schema/application.ts';
import type { AssetHolding } from '../../codec/schema/account.ts';
import { EMPTY_ACCOUNT, isEmptyAccount, type Account } from '../account.ts';
import { Changes, type TableView } from './table.ts';
import {
  boxKey,
  holdingKey,
  perTable,
  type Application,
  type CreatedAsset,
  type KeyOf,
  type StoredValue,
  type TableName,
} from './tables.ts';

export type TableViews = { readonly [Name in TableName]: TableView<KeyOf<Name>, StoredValue<Name>> };
type ChangedTables = { readonly [Name in TableName]: Changes<KeyOf<Name>, StoredValue<Name>> };

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

  application(id: bigint): Application | undefined {
    return this.tables.applications.get(id);
  }

  /** The state of an account in an application; undefined when it has not opted in. */
  localState(owner: AddressKey, applicationId: bigint): LocalState | undefined {
    return this.tables.localStates.get(holdingKey(owner, applicationId));
  }

  /** A box by its name, which has one character per byte. */
  box(applicationId: bigint, name: string): Uint8Array | undefined {
    return this.tables.boxes.get(boxKey(applicationId, name));
  }
}

/**
 * Changes laid over a state, which is not modified. Each group is evaluated on a separate delta, which is merged into
 * the block's only when the whole group has passed.
 */
export class StateDelta extends State {
  readonly tables: ChangedTables;

  constructor(below: State) {
    super();
    this.tables = perTable<ChangedTables>((name) => new Changes(below.tables[name]));
  }

  setAccount(key: AddressKey, account: Account): void {
    this.tables.accounts.set(key, isEmptyAccount(account) ? undefined : account);
  }

  /** Sets some members of an account. */
  changeAccount(key: AddressKey, change: Partial<Account>): void {
    this.setAccount(key, { ...this.account(key), ...change });
  }

  setHolding(owner: AddressKey, assetId: bigint, holding: AssetHolding | undefined): void {
    this.tables.holdings.set(holdingKey(owner, assetId), holding);
  }

  setAsset(assetId: bigint, asset: CreatedAsset | undefined): void {
    this.tables.assets.set(assetId, asset);
  }

  setApplication(id: bigint, application: Application | undefined): void {
    this.tables.applications.set(id, application);
  }

  setLocalState(owner: AddressKey, applicationId: bigint, local: LocalState | undefined): void {
    this.tables.localStates.set(holdingKey(owner, applicationId), local);
  }

  setBox(applicationId: bigint, name: string, content: Uint8Array | undefined): void {
    this.tables.boxes.set(boxKey(applicationId, name), content);
  }

  /** Adds the changes of a delta that was laid over this one, or that counts as if it were. */
  merge(later: StateDelta): void {
    perTable((name) => this.tables[name].merge(later.tables[name]));
  }
}
