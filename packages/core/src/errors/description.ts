/** One entry of the error catalogue. */
export interface ErrorDescription {
  /** What happened, in one sentence. */
  readonly meaning: string;
  /** What to do about it. */
  readonly remedy: string;
  /** Whether the same call can succeed later without a change. */
  readonly retryable: boolean;
  /** HTTP status of the answer that carries the error. */
  readonly httpStatus: number;
}

type Texts = Pick<ErrorDescription, 'meaning' | 'remedy'>;

/** An error that the same call gets again until something changes. */
export function final(httpStatus: number, texts: Texts): ErrorDescription {
  return { ...texts, retryable: false, httpStatus };
}

/** An error that the same call may not get when it is repeated later. */
export function retryable(httpStatus: number, texts: Texts): ErrorDescription {
  return { ...texts, retryable: true, httpStatus };
}
