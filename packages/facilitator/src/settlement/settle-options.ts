export interface LookUpOptions {
  /** Answers when there is an outcome, after so many milliseconds at the latest. Default: at once. */
  readonly waitMs?: number;
}

export interface SettleOptions {
  /** 16–255 printable ASCII characters, the same each time that one settle call is repeated. */
  readonly idempotencyKey?: string;
  /**
   * Answers once a node has taken the payment into its pool: `settlement_pending`, with `extra.accepted`. Default: waits
   * for the outcome.
   */
  readonly respondAsync?: boolean;
  /** Fires when the caller has left: a success without a key is then not handed out, and the next to ask gets it. */
  readonly signal?: AbortSignal;
}
