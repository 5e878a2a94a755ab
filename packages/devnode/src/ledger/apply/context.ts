import type { ApplyData } from '../../codec/schema/apply-data.ts';
import type { ConsensusParameters } from '../../consensus/parameters.ts';
import type { AddressKey } from '../../transaction/address-key.ts';
import type { StateDelta } from '../state/state.ts';

/** What a transaction's effect depends on, apart from the transaction itself. */
export interface ApplyContext {
  readonly state: StateDelta;
  readonly parameters: ConsensusParameters;
  /** The round of the block that is being built. */
  readonly round: bigint;
  /** The number of transactions before this one, in all blocks and in this one. */
  readonly counter: bigint;
  readonly sender: AddressKey;
  /** Filled in as the transaction takes effect; if it is refused, holds what it had done by then. */
  readonly applyData: { -readonly [Name in keyof ApplyData]?: ApplyData[Name] };
}
