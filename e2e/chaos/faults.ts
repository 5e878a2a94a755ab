import type { IncomingMessage } from 'node:http';
import type { Fault } from '../fault-proxy.ts';

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

const OTHER_NODE_FAULTS: FaultRates = { 'drop-answer': 0.02, 'cut-answer': 0.01, delay: 0.01, refuse: 0.01 };

/** Draws a fault, or none. */
export function drawFault(rates: FaultRates, random: () => number): Fault | undefined {
  let left = random();
  for (const [fault, rate] of Object.entries(rates) as [Fault, number][]) {
    if (left < rate) return fault;
    left -= rate;
  }
  return undefined;
}

/** Faults between facilitators and a node: submissions suffer most. */
export function nodeFaultRates({ method, url = '' }: IncomingMessage): FaultRates {
  const isSubmission = method === 'POST' && /^\/v2\/transactions(\?|$)/.test(url);
  return isSubmission ? SUBMISSION_FAULTS : OTHER_NODE_FAULTS;
}

/** Exchanges that went wrong in whichever way. */
export function total(counts: Readonly<Record<Fault, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Answers that were given and did not arrive. */
export function droppedAnswers(counts: Readonly<Record<Fault, number>>): number {
  return counts['drop-answer'] + counts['cut-answer'];
}
