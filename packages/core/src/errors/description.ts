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

type Texts = Pick<ErrorDescription, 'meaning' | 'remedy'>;

/** An error that the same call meets again: something has to change first. */
export function final(httpStatus: number, texts: Texts): ErrorDescription {
  return { ...texts, retryable: false, httpStatus };
}

/** An error that the same call may not meet when it is repeated later. */
export function retryable(httpStatus: number, texts: Texts): ErrorDescription {
  return { ...texts, retryable: true, httpStatus };
}

/** The same errors, by their codes' alphabet. */
export function alphabetical<Errors extends Readonly<Record<string, ErrorDescription>>>(errors: Errors): Errors {
  return Object.fromEntries(Object.entries(errors).toSorted(([one], [other]) => (one < other ? -1 : 1))) as Errors;
}
