import type { IncomingMessage } from 'node:http';
import type { Fault } from './fault-proxy.ts';

/** How often each fault happens, as parts of 1. */
export type FaultRates = Partial<Record<Fault, number>>;

/** What goes wrong between sellers and facilitators. */
export const FACILITATOR_FAULTS: FaultRates = {
  'drop-answer': 0.08,
  'cut-answer': 0.03,
  'drop-request': 0.03,
  delay: 0.05,
  refuse: 0.02,
  'bad-gateway': 0.02,
};

const SUBMISSION_FAULTS: FaultRates = {
  'drop-answer': 0.08,
  'drop-request': 0.05,
  'cut-answer': 0.03,
  delay: 0.05,
  refuse: 0.03,
  'bad-gateway': 0.03,
};

const OTHER_NODE_FAULTS: FaultRates = { 'drop-answer': 0.005, 'cut-answer': 0.003, delay: 0.01, refuse: 0.002 };

/** Hardly any submission gets through: long enough for payments with short windows to expire. */
const OUTAGE_FAULTS: FaultRates = { 'drop-request': 0.5, refuse: 0.45, 'drop-answer': 0.05 };
const OUTAGE = { everyMs: 25_000, afterMs: 4_000, lengthMs: 3_000 };

/** Draws a fault, or none. */
export function drawFault(rates: FaultRates, random: () => number): Fault | undefined {
  let left = random();
  for (const [fault, rate] of Object.entries(rates) as [Fault, number][]) {
    if (left < rate) return fault;
    left -= rate;
  }
  return undefined;
}

/** Tells from now on whether it is the time of an outage of submissions. */
export function startOutages(): () => boolean {
  const startedAt = performance.now();
  return () => {
    const time = (performance.now() - startedAt) % OUTAGE.everyMs;
    return time >= OUTAGE.afterMs && time < OUTAGE.afterMs + OUTAGE.lengthMs;
  };
}

/** Faults between facilitators and a node: submissions suffer most. */
export function nodeFaultRates({ method, url = '' }: IncomingMessage, isOutage: boolean): FaultRates {
  const isSubmission = method === 'POST' && /^\/v2\/transactions(\?|$)/.test(url);
  if (!isSubmission) return OTHER_NODE_FAULTS;
  return isOutage ? OUTAGE_FAULTS : SUBMISSION_FAULTS;
}

/** Exchanges that went wrong in whichever way. */
export function total(counts: Readonly<Record<Fault, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Answers that were given and did not arrive. */
export function droppedAnswers(counts: Readonly<Record<Fault, number>>): number {
  return counts['drop-answer'] + counts['cut-answer'];
}
