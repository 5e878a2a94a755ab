import type { BlockHeader } from '../../codec/schema/block.ts';
import type { MoneyTotal } from './money-totals.ts';
import { StateDelta, type State } from './state.ts';

/** The changes of a round. */
export interface RoundChanges {
  readonly header: BlockHeader;
  readonly previousTimestamp: bigint;
  /** The block's timestamp when its evaluation began, right after the block before. */
  readonly evaluationTimestamp: bigint;
  readonly changed: StateDelta;
  /** The values before, as changes that would undo these. */
  readonly before: StateDelta;
  readonly totals: Readonly<Record<'notParticipating' | 'offline' | 'online', MoneyTotal>>;
  readonly transactions: readonly { readonly txId: Uint8Array; readonly lastValid: bigint }[];
  readonly leases: ReadonlyMap<string, bigint>;
}

/** The changes of the last rounds, from which the states after them follow. */
export class StateHistory {
  #rounds: RoundChanges[] = [];
  readonly #depth: number;

  /** `depth`: how many rounds it can go back. */
  constructor(depth: number) {
    this.#depth = depth;
  }

  /** How many rounds it can go back now. */
  get length(): number {
    return this.#rounds.length;
  }

  add(changes: RoundChanges): void {
    this.#rounds.push(changes);
    if (this.#rounds.length > this.#depth) this.#rounds.shift();
  }

  mark(): () => void {
    const rounds = [...this.#rounds];
    return () => {
      this.#rounds = [...rounds];
    };
  }

  changesOf(round: bigint): RoundChanges | undefined {
    return this.#rounds.find(({ header }) => header.round === round);
  }

  /** The state after `round`; undefined when the round is too old. `present` is the state after `latest`. */
  at(round: bigint, { present, latest }: { readonly present: State; readonly latest: bigint }): State | undefined {
    const later = this.#rounds.filter(({ header }) => header.round > round);
    if (BigInt(later.length) !== latest - round) return undefined;
    const past = new StateDelta(present);
    for (const { before } of later.toReversed()) past.merge(before);
    return past;
  }
}
