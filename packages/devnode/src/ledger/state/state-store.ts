import type { AddressKey } from '../../transaction/address-key.ts';
import type { Account, AssetHolding } from '../account.ts';
import { markAll } from '../mark.ts';
import { MoneyTotals } from './money-totals.ts';
import { OnlineAccounts } from './online-accounts.ts';
import { OwnedIds } from './owned-ids.ts';
import { ownerAndAsset, State, StateDelta, type CreatedAsset, type HoldingKey } from './state.ts';
import { Table } from './table.ts';

/** The state as of the latest block. */
export class StateStore extends State {
  /** Money by the status of the accounts that hold it. */
  readonly money = new MoneyTotals();
  readonly online = new OnlineAccounts();
  readonly #held = new OwnedIds();
  readonly #created = new OwnedIds();
  readonly accounts = new Table<AddressKey, Account>((key, before, after) => {
    this.money.move(before, after);
    this.online.move(key, before, after);
  });
  readonly holdings = new Table<HoldingKey, AssetHolding>((key, before, after) => {
    // Most changes are of an amount.
    if (before !== undefined && after !== undefined) return;
    const { owner, assetId } = ownerAndAsset(key);
    this.#held.set(owner, assetId, after !== undefined);
  });
  readonly assets = new Table<bigint, CreatedAsset>((assetId, before, after) => {
    if (before !== undefined) this.#created.set(before.creator, assetId, false);
    if (after !== undefined) this.#created.set(after.creator, assetId, true);
  });

  /** Makes a delta's changes permanent and gives the delta that would undo them. */
  apply(delta: StateDelta): StateDelta {
    return new StateDelta(this, {
      accounts: this.accounts.apply(delta.accounts),
      holdings: this.holdings.apply(delta.holdings),
      assets: this.assets.apply(delta.assets),
    });
  }

  /** Makes the changes of the round that is now the latest permanent and gives the delta that would undo them. */
  advance(round: bigint, delta: StateDelta): StateDelta {
    const before = this.apply(delta);
    this.online.remember(round, before.accounts.entries());
    return before;
  }

  /** Changes that would leave nothing of the state. */
  cleared(): StateDelta {
    return new StateDelta(this, {
      accounts: this.accounts.cleared(),
      holdings: this.holdings.cleared(),
      assets: this.assets.cleared(),
    });
  }

  /** Remembers the state. What comes back puts it back, at once however much has changed. */
  mark(): () => void {
    return markAll([this.accounts, this.holdings, this.assets, this.#held, this.#created, this.money, this.online]);
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
