import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type AnswerKind, callSettle } from './answers.ts';
import type { CallerPlan } from './orders.ts';
import type { ProgressDeadline } from './progress-deadline.ts';

export interface CallerOptions {
  readonly plan: CallerPlan;
  /** Where the next call goes: the origin of the facilitators, or of one of them. */
  readonly url: () => string;
  /** The settle request. */
  readonly body: string;
  /** When it has passed, a persistent caller gives up. Each caller that is done extends it. */
  readonly deadline: ProgressDeadline;
  /** Is called with each answer as it arrives. */
  readonly onAnswer: (answer: Answer) => void;
}

const CALL_TIMEOUT_MS = 12_000;
const PAUSE_MS = 400;

const OPEN: readonly AnswerKind[] = ['unknown', 'pending', 'rejected'];

/** Tries to settle a payment as its caller would; resolves to whether the caller got an outcome. */
export async function settleAs(options: CallerOptions): Promise<boolean> {
  const { plan, deadline } = options;
  await sleep(plan.delayMs);
  const isDone = plan.style === 'persistent' ? await insist(options) : await retryOnce(options);
  if (isDone) deadline.extend();
  return isDone;
}

/** Calls as our server and client together do: the same call again until the payment is made or dead. */
async function insist(options: CallerOptions): Promise<boolean> {
  while (!options.deadline.hasPassed) {
    const { kind } = await callOnce(options);
    if (!OPEN.includes(kind)) return true;
    await sleep(PAUSE_MS);
  }
  return false;
}

/** Calls as a stock server does, which takes the second answer as the last. */
async function retryOnce(options: CallerOptions): Promise<boolean> {
  const { kind } = await callOnce(options);
  if (kind !== 'unknown' && kind !== 'pending') return true;
  await sleep(PAUSE_MS);
  await callOnce(options);
  return true;
}

async function callOnce({ plan, url, body, onAnswer }: CallerOptions): Promise<Answer> {
  const key = plan.key === undefined ? {} : { key: plan.key };
  const answer = await callSettle({ url: url(), body, timeoutMs: CALL_TIMEOUT_MS, ...key });
  onAnswer(answer);
  return answer;
}
