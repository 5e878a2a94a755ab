import type { BlockHeader } from '../codec/schema/block.ts';
import type { Account, AssetHolding } from './account.ts';
import type { AddressKey } from '../transaction/address-key.ts';
import type { CreatedAsset, HoldingChange, State, StateDelta } from './state.ts';

/** Money of the accounts of one status. */
export interface MoneyTotal {
  readonly microAlgos: bigint;
  /** Whole Algos, account by account. */
  readonly rewardUnits: bigint;
}

/** A changed holding with its asset, as it is after the round and as it was before. */
export interface ChangedHolding extends HoldingChange {
  readonly asset: CreatedAsset | undefined;
  readonly assetBefore: CreatedAsset | undefined;
}

/** What a round changed. Nothing of it is looked up later: by then the ledger has gone on. */
export interface RoundChanges {
  readonly header: BlockHeader;
  readonly previousTimestamp: bigint;
  /** The timestamp that the block had when its evaluation began, right after the block before. */
  readonly evaluationTimestamp: bigint;
  readonly delta: StateDelta;
  /** What the delta replaced. */
  readonly before: StateDelta;
  readonly holdings: readonly ChangedHolding[];
  readonly totals: Readonly<Record<'notParticipating' | 'offline' | 'online', MoneyTotal>>;
  readonly transactions: readonly { readonly txId: Uint8Array; readonly lastValid: bigint }[];
  readonly leases: ReadonlyMap<string, bigint>;
}

/** The last rounds: what they changed, and so the states after them. */
export class StateHistory {
  readonly #rounds: RoundChanges[] = [];
  readonly #depth: number;

  /** `depth`: how many rounds can be gone back. */
  constructor(depth: number) {
    this.#depth = depth;
  }

  /** How many rounds can be gone back now. */
  get length(): number {
    return this.#rounds.length;
  }

  add(changes: RoundChanges): void {
    this.#rounds.push(changes);
    if (this.#rounds.length > this.#depth) this.#rounds.shift();
  }

  changesOf(round: bigint): RoundChanges | undefined {
    return this.#rounds.find(({ header }) => header.round === round);
  }

  /** The state after `round`, or undefined when it is too old. `present` is the state after `latest`. */
  at(round: bigint, { present, latest }: { readonly present: State; readonly latest: bigint }): State | undefined {
    if (round === latest) return present;
    const later = this.#rounds.filter(({ header }) => header.round > round);
    if (BigInt(later.length) !== latest - round) return undefined;
    return new PastState(
      later.map(({ before }) => before),
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
