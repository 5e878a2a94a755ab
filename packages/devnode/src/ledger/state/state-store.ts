import type { AddressKey } from '../../transaction/address-key.ts';
import type { AssetHolding } from '../account.ts';
import { markAll } from '../mark.ts';
import { MoneyTotals } from './money-totals.ts';
import { OnlineAccounts } from './online-accounts.ts';
import { OwnedIds } from './owned-ids.ts';
import { State, StateDelta, type ChangedTables } from './state.ts';
import { Table, type OnChange } from './table.ts';
import { ownerAndAsset, perTable, type CreatedAsset, type KeyOf, type StoredValue, type TableName } from './tables.ts';

type StoredTables = { readonly [Name in TableName]: Table<KeyOf<Name>, StoredValue<Name>> };
/** Called with every confirmed change of a table. */
type Listeners = { readonly [Name in TableName]?: OnChange<KeyOf<Name>, StoredValue<Name>> };

/** The state as of the latest block. */
export class StateStore extends State {
  /** Totals of money by account status. */
  readonly money = new MoneyTotals();
  readonly online = new OnlineAccounts();
  readonly #held = new OwnedIds();
  readonly #created = new OwnedIds();
  readonly #listeners: Listeners = {
    accounts: (key, before, after) => {
      this.money.move(before, after);
      this.online.move(key, before, after);
    },
    holdings: (key, before, after) => {
      // Most changes only change the amount.
      if (before !== undefined && after !== undefined) return;
      const { owner, assetId } = ownerAndAsset(key);
      this.#held.set(owner, assetId, after !== undefined);
    },
    assets: (assetId, before, after) => {
      if (before !== undefined) this.#created.set(before.creator, assetId, false);
      if (after !== undefined) this.#created.set(after.creator, assetId, true);
    },
  };
  readonly tables = perTable<StoredTables>((name) => new Table(this.#listeners[name]));

  /** Makes a delta's changes permanent; gives the delta that would undo them. */
  apply(delta: StateDelta): StateDelta {
    return new StateDelta(
      this,
      perTable<ChangedTables>((name) => this.tables[name].apply(delta.tables[name])),
    );
  }

  /** Makes the changes of a round, now the latest, permanent; gives the delta that would undo them. */
  advance(round: bigint, delta: StateDelta): StateDelta {
    const before = this.apply(delta);
    this.online.remember(round, before.tables.accounts.entries());
    return before;
  }

  /** The changes that would empty the state. */
  cleared(): StateDelta {
    return new StateDelta(
      this,
      perTable<ChangedTables>((name) => this.tables[name].cleared()),
    );
  }

  /** Remembers the state. The returned function restores it, in constant time however much has changed. */
  mark(): () => void {
    return markAll([...Object.values(this.tables), this.#held, this.#created, this.money, this.online]);
  }

  /** Holdings of an account by asset id, ascending. */
  holdingsOf(owner: AddressKey): [bigint, AssetHolding][] {
    return withIds(this.#held.of(owner), (assetId) => this.holding(owner, assetId));
  }

  /** Assets created by an account, ascending by id. */
  assetsOf(creator: AddressKey): [bigint, CreatedAsset][] {
    return withIds(this.#created.of(creator), (assetId) => this.asset(assetId));
  }
}

function withIds<V>(ids: readonly bigint[], valueOf: (id: bigint) => V | undefined): [bigint, V][] {
  return ids.flatMap((id): [bigint, V][] => {
    const value = valueOf(id);
    return value === undefined ? [] : [[id, value]];
  });
}
