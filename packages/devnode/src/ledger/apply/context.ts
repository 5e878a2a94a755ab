import type { GroupPrograms } from '@avm402/teal/application';
import type { ConsensusParameters } from '../../consensus/parameters.ts';
import type { AddressKey } from '../../transaction/address-key.ts';
import type { TransactionEffects } from '../effects.ts';
import type { StateDelta } from '../state/state.ts';

/** Everything that a transaction's effect depends on, apart from the transaction itself. */
export interface ApplyContext {
  readonly state: StateDelta;
  readonly parameters: ConsensusParameters;
  /** The round of the block that is being built. */
  readonly round: bigint;
  /** The number of this transaction among all, inner ones included; also the id of what it creates. */
  readonly number: bigint;
  readonly sender: AddressKey;
  /** Filled in as the transaction takes effect; if it is refused, holds what it had done by then. */
  readonly effects: TransactionEffects;
  /** The programs of the group, if it has application calls. */
  readonly programs: GroupPrograms | undefined;
  /** The transaction's place in the group. */
  readonly index: number;
  /** Runs a step whose changes are kept only if it gives true. */
  readonly attempt: (step: () => boolean) => void;
}
