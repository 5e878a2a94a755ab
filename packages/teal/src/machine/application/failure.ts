/** Why a call fails, in algod's words. */
export interface Failure {
  readonly message: string;
  /** What algod answers beside the message: `app-index`, `eval-states`, `group-index`, `pc`, `inner-msg`, `inner-attrs`. */
  readonly data?: FailureData;
}

export type FailureData = Readonly<Record<string, unknown>>;
