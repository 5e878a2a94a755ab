/** One entry of the error catalogue. */
export interface ErrorDescription {
  /** What happened, in one sentence. */
  readonly meaning: string;
  /** What to do about it. */
  readonly remedy: string;
  /** Whether the same call can succeed later without a change. */
  readonly retryable: boolean;
  /** Status of the HTTP answer that carries it. */
  readonly httpStatus: number;
}
