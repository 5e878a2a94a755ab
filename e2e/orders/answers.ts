import { parseSettleResponse, type SettleResponse } from '@avm402/core/settle-response';

/**
 * The outcome of a settle call, as its caller sees it.
 * `unknown`: no answer, or 503: the payment may have been made.
 * `pending`: the facilitator does not know yet.
 * `rejected`: the node refused it, but it stays valid for some rounds.
 * `duplicate`: somebody else has it.
 * `failed`: it will never be paid.
 */
export type AnswerKind = 'success' | 'unknown' | 'pending' | 'rejected' | 'duplicate' | 'failed';

/** One settle call and what came of it. */
export interface Answer {
  readonly kind: AnswerKind;
  /** Idempotency-Key of the call. */
  readonly key?: string;
  /** The error's code, or what was wrong with the connection; empty for a success. */
  readonly reason: string;
  /** The TxID that it names. */
  readonly transaction: string;
  /** Milliseconds of one clock. */
  readonly sentAt: number;
  readonly answeredAt: number;
}

export interface SettleCall {
  /** Origin of the facilitators. */
  readonly url: string;
  readonly body: string;
  readonly key?: string;
  readonly timeoutMs: number;
}

/** Sends one settle call, once. Never throws. */
export async function callSettle({ url, body, key, timeoutMs }: SettleCall): Promise<Answer> {
  const sentAt = performance.now();
  const came = await send({ url, body, timeoutMs, ...(key !== undefined && { key }) }).catch(
    (error: unknown): Outcome => ({ kind: 'unknown', reason: nameOf(error), transaction: '' }),
  );
  return { ...came, sentAt, answeredAt: performance.now(), ...(key !== undefined && { key }) };
}

type Outcome = Pick<Answer, 'kind' | 'reason' | 'transaction'>;

async function send({ url, body, key, timeoutMs }: SettleCall): Promise<Outcome> {
  const response = await fetch(`${url}/settle`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(key !== undefined && { 'Idempotency-Key': key }) },
    body,
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  if (response.status >= 500) return { kind: 'unknown', reason: `HTTP ${response.status} ${text}`, transaction: '' };
  if (!response.ok) return { kind: 'failed', reason: `HTTP ${response.status} ${text}`, transaction: '' };
  const settled = parseSettleResponse(JSON.parse(text));
  return { kind: kindOf(settled), reason: settled.errorReason ?? '', transaction: settled.transaction };
}

function kindOf({ success, errorReason, extra }: SettleResponse): AnswerKind {
  if (success) return 'success';
  if (errorReason === 'settlement_pending') return 'pending';
  if (errorReason === 'duplicate_settlement') return 'duplicate';
  return extra?.['state'] === 'rejected' ? 'rejected' : 'failed';
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
