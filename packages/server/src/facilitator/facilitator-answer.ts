import { isX402Error, isX402ErrorCode, X402Error, type X402ErrorCode } from '@avm402/core/errors';
import { parseSupportedResponse, type SupportedResponse } from '@avm402/core/supported-response';
import { membersIn } from '@avm402/core/unknown-json';
import { type Attempt, type FailedAttempt, repeated } from './attempt.ts';
import type { JsonAnswer } from './http-json.ts';

/**
 * What a facilitator serves, and the id of the store that its replicas share. Only our own facilitator reports that id.
 */
export interface FacilitatorSupport extends SupportedResponse {
  readonly storeId?: string;
}

export function supportFrom(body: unknown, storeId: unknown): FacilitatorSupport {
  return { ...parseSupported(body), ...(typeof storeId === 'string' && storeId !== '' && { storeId }) };
}

/** Leaves out kinds of x402 v1: their network names don't parse, and the rest is still usable. */
function parseSupported(body: unknown): SupportedResponse {
  const { kinds } = membersIn(body);
  if (!Array.isArray(kinds)) return parseSupportedResponse(body);
  return parseSupportedResponse({
    ...membersIn(body),
    kinds: kinds.filter((kind) => membersIn(kind)['x402Version'] !== 1),
  });
}

const SPONSORS_TROUBLE: readonly X402ErrorCode[] = ['sponsor_rekeyed', 'sponsor_unfunded'];

/** Errors of our own facilitator that a settlement meets only before it is on record. */
const UNWORKED: ReadonlySet<string | undefined> = new Set([
  'algod_unreachable',
  'facilitator_busy',
  ...SPONSORS_TROUBLE,
]);

/** Whether the sponsor can't pay at the moment. */
export function isSponsorsTrouble({ code }: X402Error): boolean {
  return SPONSORS_TROUBLE.includes(code);
}

/**
 * Reads what a facilitator answered over HTTP. Some facilitators send a refusal with an error status; the verdict in the
 * body counts.
 * @param verdict the member that makes an answer a verdict; absent for answers that are not verdicts
 */
export function readAnswer<T>(
  name: string,
  attempt: Attempt<JsonAnswer>,
  parse: (body: unknown) => T,
  verdict?: string,
): Attempt<T> {
  if (attempt.kind !== 'answer') return attempt;
  const { status, body } = attempt.answer;
  const isVerdict = verdict !== undefined && typeof membersIn(body)[verdict] === 'boolean';
  const isAnswer = isVerdict || (status >= 200 && status < 300);
  const told = isAnswer ? readBody(name, body, parse) : refused(name, attempt.answer);
  return attempt.isRepeat ? repeated(told) : told;
}

/** Parses an answer. If it can't be parsed, it is unknown what the facilitator did. */
export function readBody<T>(name: string, body: unknown, parse: (body: unknown) => T): Attempt<T> {
  try {
    return { kind: 'answer', answer: parse(body) };
  } catch (cause) {
    const message = `${name} answered something that is not an x402 answer`;
    return { kind: 'unknown', error: new X402Error('facilitator_bad_answer', { message, cause }) };
  }
}

function refused(name: string, { status, retryAfter, body }: JsonAnswer): FailedAttempt {
  const { error: reason } = membersIn(body);
  const known = typeof reason === 'string' && isX402ErrorCode(reason) ? reason : undefined;
  const error = new X402Error(troubleCode(status, known), {
    message: `the facilitator at ${name} answered with status ${status}${known === undefined ? '' : ` (${known})`}`,
    details: { status, ...(retryAfter !== undefined && { retryAfter }) },
  });
  // A 4xx rejects the request without working on it.
  const isUnworked = (status >= 400 && status < 500) || UNWORKED.has(known);
  return { kind: isUnworked ? 'unsent' : 'unknown', error };
}

/** A client object of the app has thrown. */
export function failed(name: string, cause: unknown): FailedAttempt {
  const known = isX402Error(cause) ? cause.code : undefined;
  const error = new X402Error(troubleCode(500, known), { message: `${name} failed`, cause });
  return { kind: UNWORKED.has(known) ? 'unsent' : 'unknown', error };
}

/**
 * The code for a facilitator's error here. The buyer learns of the facilitator's own trouble only what the payment
 * depends on.
 */
function troubleCode(status: number, reason: X402ErrorCode | undefined): X402ErrorCode {
  if (reason !== undefined && SPONSORS_TROUBLE.includes(reason)) return reason;
  return status === 429 || status >= 500 ? 'facilitator_unreachable' : 'facilitator_bad_answer';
}
