import type { AddressKey } from '../../transaction/address-key.ts';
import type { LocalState } from '../../codec/schema/application.ts';
import type { AssetHolding } from '../../codec/schema/account.ts';
import { markAll } from '../mark.ts';
import { MoneyTotals } from './money-totals.ts';
import { OnlineAccounts } from './online-accounts.ts';
import { OwnedIds } from './owned-ids.ts';
import { State, StateDelta } from './state.ts';
import { Table, type OnChange } from './table.ts';
import {
  applicationAndName,
  ownerAndId,
  perTable,
  type Application,
  type Created,
  type CreatedAsset,
  type HoldingKey,
  type KeyOf,
  type StoredValue,
  type TableName,
} from './tables.ts';

type StoredTables = { readonly [Name in TableName]: Table<KeyOf<Name>, StoredValue<Name>> };
/** Called with every confirmed change of a table. */
type Listeners = { readonly [Name in TableName]?: OnChange<KeyOf<Name>, StoredValue<Name>> };

/** The state as of the latest block. */
export class StateStore extends State {
  /** Totals of money by account status. */
  readonly money = new MoneyTotals();
  readonly online = new OnlineAccounts();
  readonly #held = new OwnedIds<AddressKey, bigint>();
  readonly #created = new OwnedIds<AddressKey, bigint>();
  readonly #applications = new OwnedIds<AddressKey, bigint>();
  readonly #optedIn = new OwnedIds<AddressKey, bigint>();
  readonly #boxNames = new OwnedIds<bigint, string>();
  readonly #listeners: Listeners = {
    accounts: (key, before, after) => {
      this.money.move(before, after);
      this.online.move(key, before, after);
    },
    holdings: noteOwned(this.#held),
    assets: noteCreated(this.#created),
    applications: noteCreated(this.#applications),
    localStates: noteOwned(this.#optedIn),
    boxes: (key, before, after) => {
      if (before !== undefined && after !== undefined) return;
      const { applicationId, name } = applicationAndName(key);
      this.#boxNames.set(applicationId, name, after !== undefined);
    },
  };
  readonly tables = perTable<StoredTables>((name) => new Table(this.#listeners[name]));

  /** Makes a delta's changes permanent; gives the delta that would undo them. */
  apply(delta: StateDelta): StateDelta {
    const undo = new StateDelta(this);
    perTable((name) => this.tables[name].apply(delta.tables[name], undo.tables[name]));
    return undo;
  }

  /** Makes the changes of a round, now the latest, permanent; gives the delta that would undo them. */
  advance(round: bigint, delta: StateDelta): StateDelta {
    const before = this.apply(delta);
    this.online.remember(round, before.tables.accounts.entries());
    return before;
  }

  /** The changes that would empty the state. */
  cleared(): StateDelta {
    const cleared = new StateDelta(this);
    perTable((name) => {
      for (const [key] of this.tables[name].entries()) cleared.tables[name].set(key, undefined);
    });
    return cleared;
  }

  /** Remembers the state. The returned function restores it, in constant time however much has changed. */
  mark(): () => void {
    const owned = [this.#held, this.#created, this.#applications, this.#optedIn, this.#boxNames];
    return markAll([...Object.values(this.tables), ...owned, this.money, this.online]);
  }

  /** Holdings of an account by asset id, ascending. */
  holdingsOf(owner: AddressKey): [bigint, AssetHolding][] {
    return withIds(this.#held.of(owner), (assetId) => this.holding(owner, assetId));
  }

  /** Assets created by an account, ascending by id. */
  assetsOf(creator: AddressKey): [bigint, CreatedAsset][] {
    return withIds(this.#created.of(creator), (assetId) => this.asset(assetId));
  }

  /** Applications created by an account, ascending by id. */
  applicationsOf(creator: AddressKey): [bigint, Application][] {
    return withIds(this.#applications.of(creator), (id) => this.application(id));
  }

  /** The states of an account in applications, ascending by their ids. */
  localStatesOf(owner: AddressKey): [bigint, LocalState][] {
    return withIds(this.#optedIn.of(owner), (id) => this.localState(owner, id));
  }

  /** Names of an application's boxes, ascending by bytes. */
  boxNamesOf(applicationId: bigint): string[] {
    return this.#boxNames.of(applicationId);
  }
}

function noteOwned(ids: OwnedIds<AddressKey, bigint>): OnChange<HoldingKey, unknown> {
  return (key, before, after) => {
    // Most changes only change the amount.
    if (before !== undefined && after !== undefined) return;
    const { owner, id } = ownerAndId(key);
    ids.set(owner, id, after !== undefined);
  };
}

function noteCreated(ids: OwnedIds<AddressKey, bigint>): OnChange<bigint, Created<unknown>> {
  return (id, before, after) => {
    if (before?.creator === after?.creator) return;
    if (before !== undefined) ids.set(before.creator, id, false);
    if (after !== undefined) ids.set(after.creator, id, true);
  };
}

function withIds<V>(ids: readonly bigint[], valueOf: (id: bigint) => V | undefined): [bigint, V][] {
  return ids.flatMap((id): [bigint, V][] => {
    const value = valueOf(id);
    return value === undefined ? [] : [[id, value]];
  });
}
