import type { IncomingMessage } from 'node:http';
import type { Fault } from './fault-proxy.ts';

/** How often each fault happens, as a fraction of 1. */
export type FaultRates = Partial<Record<Fault, number>>;

/** Fault rates between sellers and facilitators. */
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

/** Almost no submission gets through, for long enough that payments with short windows expire. */
const OUTAGE_FAULTS: FaultRates = { 'drop-request': 0.5, refuse: 0.45, 'drop-answer': 0.05 };
const OUTAGE = { everyMs: 25_000, afterMs: 4_000, lengthMs: 3_000 };

/** A random fault, or none. */
export function drawFault(rates: FaultRates, random: () => number): Fault | undefined {
  let left = random();
  for (const [fault, rate] of Object.entries(rates) as [Fault, number][]) {
    if (left < rate) return fault;
    left -= rate;
  }
  return undefined;
}

/** Starts the clock of the outages; returns a function that says whether submissions are in one now. */
export function startOutages(): () => boolean {
  const startedAt = performance.now();
  return () => {
    const time = (performance.now() - startedAt) % OUTAGE.everyMs;
    return time >= OUTAGE.afterMs && time < OUTAGE.afterMs + OUTAGE.lengthMs;
  };
}

/** Fault rates between facilitators and a node: submissions suffer most. */
export function nodeFaultRates({ method, url = '' }: IncomingMessage, isOutage: boolean): FaultRates {
  const isSubmission = method === 'POST' && /^\/v2\/transactions(\?|$)/.test(url);
  if (!isSubmission) return OTHER_NODE_FAULTS;
  return isOutage ? OUTAGE_FAULTS : SUBMISSION_FAULTS;
}

/** The number of exchanges that went wrong, in any way. */
export function total(counts: Readonly<Record<Fault, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** The number of answers that were given and did not arrive. */
export function droppedAnswers(counts: Readonly<Record<Fault, number>>): number {
  return counts['drop-answer'] + counts['cut-answer'];
}
