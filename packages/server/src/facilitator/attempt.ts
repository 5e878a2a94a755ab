import type { X402Error } from '@avm402/core/errors';

/**
 * The result of a call to a facilitator:
 * `answer`   it answered;
 * `unsent`   it did not get the request, or rejected it without working on it;
 * `unknown`  it may have worked on the request.
 */
export type Attempt<T> =
  /** `isRepeat`: an earlier request with the same question may also have been worked on. */
  { readonly kind: 'answer'; readonly answer: T; readonly isRepeat?: true } | FailedAttempt;

/** A call without an answer. */
export type FailedAttempt =
  | { readonly kind: 'unsent'; readonly error: X402Error }
  | { readonly kind: 'unknown'; readonly error: X402Error };

/** The attempt, marked as one that follows another that may have been worked on. */
export function repeated<T>(attempt: Attempt<T>): Attempt<T> {
  return attempt.kind === 'answer' ? { ...attempt, isRepeat: true } : { ...attempt, kind: 'unknown' };
}
