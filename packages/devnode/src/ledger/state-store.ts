import { EMPTY_ACCOUNT, isEmptyAccount, type Account, type AccountStatus, type AssetHolding } from './account.ts';
import type { AddressKey } from '../transaction/address-key.ts';
import { StateDelta, type CreatedAsset, type State } from './state.ts';
import type { MoneyTotal } from './state-history.ts';

const NO_MONEY: MoneyTotal = { microAlgos: 0n, rewardUnits: 0n };

/** µAlgo that earn rewards as one unit. */
const REWARD_UNIT = 1_000_000n;

/** All accounts and assets as of the latest block. */
export class StateStore implements State {
  readonly #accounts = new Map<AddressKey, Account>();
  readonly #holdings = new Map<AddressKey, Map<bigint, AssetHolding>>();
  readonly #assets = new Map<bigint, CreatedAsset>();
  readonly #created = new Map<AddressKey, Set<bigint>>();
  readonly #money: Record<AccountStatus, MoneyTotal> = {
    Offline: NO_MONEY,
    Online: NO_MONEY,
    'Not Participating': NO_MONEY,
  };

  account(key: AddressKey): Account {
    return this.#accounts.get(key) ?? EMPTY_ACCOUNT;
  }

  holding(key: AddressKey, assetId: bigint): AssetHolding | undefined {
    return this.#holdings.get(key)?.get(assetId);
  }

  asset(assetId: bigint): CreatedAsset | undefined {
    return this.#assets.get(assetId);
  }

  /** Money by the status of the accounts that hold it. */
  money(status: AccountStatus): MoneyTotal {
    return this.#money[status];
  }

  /** Holdings of an account by asset id, ascending. */
  holdingsOf(key: AddressKey): [bigint, AssetHolding][] {
    return [...(this.#holdings.get(key) ?? [])].sort(byAssetId);
  }

  /** Assets created by an account, ascending by id. */
  assetsOf(key: AddressKey): [bigint, CreatedAsset][] {
    const assets: [bigint, CreatedAsset][] = [];
    for (const assetId of this.#created.get(key) ?? []) {
      const asset = this.#assets.get(assetId);
      if (asset !== undefined) assets.push([assetId, asset]);
    }
    return assets.sort(byAssetId);
  }

  /** Makes a delta's changes permanent and gives what they replaced, as a delta that would undo them. */
  apply(delta: StateDelta): StateDelta {
    const undo = new StateDelta(this);
    for (const [key, account] of delta.accounts) {
      undo.setAccount(key, this.account(key));
      this.#setAccount(key, account);
    }
    for (const { owner, assetId, holding } of delta.holdings.values()) {
      undo.setHolding(owner, assetId, this.holding(owner, assetId));
      this.#setHolding(owner, assetId, holding);
    }
    for (const [assetId, asset] of delta.assets) {
      undo.setAsset(assetId, this.asset(assetId));
      this.#setAsset(assetId, asset);
    }
    return undo;
  }

  #setAccount(key: AddressKey, account: Account): void {
    const before = this.account(key);
    this.#count(before, -1n);
    this.#count(account, 1n);
    if (isEmptyAccount(account)) this.#accounts.delete(key);
    else this.#accounts.set(key, account);
  }

  #count({ status, microAlgos }: Account, sign: 1n | -1n): void {
    const total = this.#money[status];
    this.#money[status] = {
      microAlgos: total.microAlgos + sign * microAlgos,
      rewardUnits: total.rewardUnits + sign * (microAlgos / REWARD_UNIT),
    };
  }

  #setHolding(owner: AddressKey, assetId: bigint, holding: AssetHolding | undefined): void {
    const holdings = this.#holdings.get(owner) ?? new Map<bigint, AssetHolding>();
    if (holding === undefined) holdings.delete(assetId);
    else holdings.set(assetId, holding);
    if (holdings.size === 0) this.#holdings.delete(owner);
    else this.#holdings.set(owner, holdings);
  }

  #setAsset(assetId: bigint, asset: CreatedAsset | undefined): void {
    const creator = asset?.creator ?? this.#assets.get(assetId)?.creator ?? '';
    const created = this.#created.get(creator) ?? new Set<bigint>();
    if (asset === undefined) {
      this.#assets.delete(assetId);
      created.delete(assetId);
    } else {
      this.#assets.set(assetId, asset);
      created.add(assetId);
    }
    if (created.size === 0) this.#created.delete(creator);
    else this.#created.set(creator, created);
  }
}

function byAssetId([a]: readonly [bigint, unknown], [b]: readonly [bigint, unknown]): number {
  return a < b ? -1 : 1;
}
