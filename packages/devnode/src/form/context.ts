import type { ConsensusParameters } from '../consensus/parameters.ts';

/** The context in which the form of a transaction is judged. */
export interface FormContext {
  readonly parameters: ConsensusParameters;
  readonly feeSink: Uint8Array;
  readonly rewardsPool: Uint8Array;
}
