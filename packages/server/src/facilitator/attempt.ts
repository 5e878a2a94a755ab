import { X402Error } from '@avm402/core/errors';

/**
 * What came of asking a facilitator:
 * `answer`   it answered;
 * `unsent`   it certainly did not get the request, or did not work on it;
 * `unknown`  it may have worked on it.
 */
export type Attempt<T> = { readonly kind: 'answer'; readonly answer: T } | FailedAttempt;

/** An attempt without an answer. */
export type FailedAttempt =
  | { readonly kind: 'unsent'; readonly error: X402Error }
  | { readonly kind: 'unknown'; readonly error: X402Error };

/** The answer of an attempt. @throws X402Error that of an attempt without one */
export function answerOf<T>(attempt: Attempt<T>): T {
  if (attempt.kind === 'answer') return attempt.answer;
  throw attempt.error;
}

/** Reads an answer. One that is none may have followed work that was done. */
export function readAnswer<T>(parse: (body: unknown) => T, body: unknown, name: string): Attempt<T> {
  try {
    return { kind: 'answer', answer: parse(body) };
  } catch (cause) {
    const message = `${name} answered something that is no x402 answer`;
    return { kind: 'unknown', error: new X402Error('facilitator_bad_answer', { message, cause }) };
  }
}
