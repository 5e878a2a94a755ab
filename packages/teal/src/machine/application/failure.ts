import { OpcodeFailure } from '../program-error.ts';

/** The reason why a call fails, in algod's words. */
export interface Failure {
  readonly message: string;
  /** The data that algod answers with the message: `app-index`, `eval-states`, `group-index`, `pc`, `inner-msg`, `inner-attrs`. */
  readonly data?: FailureData;
}

export type FailureData = Readonly<Record<string, unknown>>;

/** Thrown by `itxn_submit` when a member of the inner group fails. */
export class InnerFailure extends OpcodeFailure {
  readonly failure: Failure;

  constructor(index: number, failure: Failure) {
    super(`inner tx ${index} failed: ${failure.message}`);
    this.failure = failure;
  }
}
