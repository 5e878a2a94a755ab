import { jsonIn } from '@avm402/core/unknown-json';
import type * as z from 'zod';
import type { RecordedEvent, RecordedSpan } from './recorded-span.ts';

/** The headers of x402, with the attributes that hold their content. */
export const HEADERS = {
  'PAYMENT-REQUIRED': 'x402.payment_required',
  'PAYMENT-SIGNATURE': 'x402.payment_signature',
  'PAYMENT-RESPONSE': 'x402.payment_response',
} as const;

/** The events with this name, in the order of time. */
export function eventsOf(spans: readonly RecordedSpan[], name: string): RecordedEvent[] {
  return spans
    .flatMap(({ events }) => events)
    .filter((event) => event.name === name)
    .toSorted((one, other) => one.at - other.at);
}

/** The first content of a header that fits a schema, because a role may report anything; undefined if there is none. */
export function messageIn<T>(
  events: readonly RecordedEvent[],
  header: keyof typeof HEADERS,
  schema: z.ZodType<T>,
): T | undefined {
  for (const { facts } of events) {
    const { data } = schema.safeParse(jsonIn(String(facts[HEADERS[header]])));
    if (data !== undefined) return data;
  }
  return undefined;
}
