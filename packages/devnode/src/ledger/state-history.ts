import type { Account, AssetHolding } from './account.ts';
import type { AddressKey } from './address-key.ts';
import type { CreatedAsset, State, StateDelta } from './state.ts';

/** The states of the last rounds, as what must be undone from the present one. */
export class StateHistory {
  readonly #undos: { readonly round: bigint; readonly undo: StateDelta }[] = [];
  readonly #depth: number;

  /** `depth`: how many rounds can be gone back. */
  constructor(depth: number) {
    this.#depth = depth;
  }

  /** How many rounds can be gone back now. */
  get length(): number {
    return this.#undos.length;
  }

  add(round: bigint, undo: StateDelta): void {
    this.#undos.push({ round, undo });
    if (this.#undos.length > this.#depth) this.#undos.shift();
  }

  /** The state after `round`, or undefined when it is too old. `present` is the state after `latest`. */
  at(round: bigint, { present, latest }: { readonly present: State; readonly latest: bigint }): State | undefined {
    if (round === latest) return present;
    const later = this.#undos.filter((each) => each.round > round);
    if (BigInt(later.length) !== latest - round) return undefined;
    return new PastState(
      later.map(({ undo }) => undo),
      present,
    );
  }
}

/** A state of the past: of the rounds since, the first that changed something knows how it was. */
class PastState implements State {
  readonly #undos: readonly StateDelta[];
  readonly #present: State;

  constructor(undos: readonly StateDelta[], present: State) {
    this.#undos = undos;
    this.#present = present;
  }

  account(key: AddressKey): Account {
    for (const { accounts } of this.#undos) {
      const account = accounts.get(key);
      if (account !== undefined) return account;
    }
    return this.#present.account(key);
  }

  holding(key: AddressKey, assetId: bigint): AssetHolding | undefined {
    for (const undo of this.#undos) {
      const change = undo.holdingChange(key, assetId);
      if (change !== undefined) return change.holding;
    }
    return this.#present.holding(key, assetId);
  }

  asset(assetId: bigint): CreatedAsset | undefined {
    for (const { assets } of this.#undos) if (assets.has(assetId)) return assets.get(assetId);
    return this.#present.asset(assetId);
  }
}
