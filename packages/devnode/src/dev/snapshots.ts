import { notFound, refused } from '../errors.ts';
import { markAll, type Markable } from '../ledger/mark.ts';

/** Limited because each snapshot makes look-ups a little slower. */
const MAX_SNAPSHOTS = 1000;

/** A round that the chain can return to. */
export interface Snapshot {
  readonly id: number;
  readonly round: bigint;
}

interface Taken extends Snapshot {
  readonly putBack: () => void;
}

/** A stack of snapshots of chain, pool and clock; the lowest is the node's start. */
export class Snapshots {
  readonly #latestRound: () => bigint;
  #parts: readonly Markable[];
  #start: () => void;
  #taken: readonly Taken[] = [];
  #lastId = 0;

  /** `parts`: what a snapshot remembers, restored in this order. */
  constructor(parts: readonly Markable[], latestRound: () => bigint) {
    this.#parts = parts;
    this.#latestRound = latestRound;
    this.#start = markAll(parts);
  }

  /** Adds a part to remember. Its present state counts as the node's start; earlier snapshots leave it alone. */
  add(part: Markable): void {
    const [others, putBack] = [this.#start, part.mark()];
    this.#parts = [...this.#parts, part];
    this.#start = () => {
      others();
      putBack();
    };
  }

  /** The snapshots that the chain can return to, oldest first. */
  get all(): readonly Snapshot[] {
    return this.#taken;
  }

  /** @throws DevnodeError `refused` beyond 1000 */
  take(): Snapshot {
    if (this.#taken.length >= MAX_SNAPSHOTS) {
      throw refused(`there are ${MAX_SNAPSHOTS} snapshots: revert to an early one first`);
    }
    const taken = { id: ++this.#lastId, round: this.#latestRound(), putBack: markAll(this.#parts) };
    this.#taken = [...this.#taken, taken];
    return taken;
  }

  /**
   * Returns to a snapshot and keeps it; drops those taken after it.
   * @throws DevnodeError `not_found` (404)
   */
  revert(id: number): void {
    const index = this.#taken.findIndex((snapshot) => snapshot.id === id);
    const snapshot = this.#taken[index];
    if (snapshot === undefined) throw notFound(`there is no snapshot ${id}`);
    snapshot.putBack();
    this.#taken = this.#taken.slice(0, index + 1);
  }

  /** Returns to the node's start; drops all snapshots. */
  revertToStart(): void {
    this.#start();
    this.#taken = [];
  }
}
