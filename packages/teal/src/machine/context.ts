import type { Mode } from './mode.ts';
import type { Environment } from './environment.ts';
import type { GroupTransaction } from './group-transaction.ts';

/** What the programs of a group share, and spend in the order they run. */
export interface Budget {
  remaining: number;
}

/** All that a program sees of the world. */
export interface Context {
  readonly mode: Mode;
  readonly group: readonly GroupTransaction[];
  /** The place in the group of the transaction that the program belongs to. */
  readonly index: number;
  /** Arguments of a logic signature. */
  readonly args: readonly Uint8Array[];
  readonly budget: Budget;
  readonly environment: Environment;
}
