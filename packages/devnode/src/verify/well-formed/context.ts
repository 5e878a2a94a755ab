import type { ConsensusParameters } from '../../consensus/parameters.ts';

/** What the form of a transaction is judged by. */
export interface FormContext {
  readonly parameters: ConsensusParameters;
  readonly feeSink: Uint8Array;
  readonly rewardsPool: Uint8Array;
}
