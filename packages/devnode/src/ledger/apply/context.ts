import type { ApplyData } from '../../codec/schema/signed-transaction.ts';
import type { ConsensusParameters } from '../../consensus/parameters.ts';
import type { AddressKey } from '../../transaction/address-key.ts';
import type { StateDelta } from '../state/state.ts';

/** What the effect of a transaction depends on, beside the transaction. */
export interface ApplyContext {
  readonly state: StateDelta;
  readonly parameters: ConsensusParameters;
  /** The round of the block that is being built. */
  readonly round: bigint;
  /** Transactions in all blocks and in this one before this transaction. */
  readonly counter: bigint;
  readonly sender: AddressKey;
  /** Filled in as the transaction takes effect: of one that is refused, what it had done by then. */
  readonly applyData: { -readonly [Name in keyof ApplyData]?: ApplyData[Name] };
}
