import type { SpanName } from '@avm402/core/trace';

/** Each step of a payment in words; docs/telemetry.md explains it under its name. */
const WORDS: Readonly<Record<SpanName, string>> = {
  'x402.fetch': 'the whole request',
  'x402.ask': 'request without payment',
  'x402.sign': 'sign the payment',
  'x402.present': 'request with payment',
  'x402.serve': 'answer',
  'x402.offer': 'make an offer',
  'x402.verify': 'ask for a verdict',
  'x402.handler': 'run the handler',
  'x402.settle': 'ask to settle',
  'x402.facilitator.verify': 'verify',
  'x402.facilitator.settle': 'settle',
  'x402.phase.verify': 'check',
  'x402.phase.record': 'record',
  'x402.phase.submit': 'submit',
  'x402.phase.confirm': 'wait for the block',
};

/** A step in words; one that no release knows keeps its name. */
export function wordsOf(span: string): string {
  return Object.hasOwn(WORDS, span) ? WORDS[span as SpanName] : span.replace('x402.', '');
}

/** The role that did a step's work, by the first letters of the step's name. */
export function roleOf(span: string): 'buyer' | 'seller' | 'facilitator' {
  if (/^x402\.(facilitator|phase)\./.test(span)) return 'facilitator';
  return /^x402\.(fetch|ask|sign|present)$/.test(span) ? 'buyer' : 'seller';
}
