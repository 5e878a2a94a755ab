import protobuf from 'protobufjs';
import * as z from 'zod';
import type { Facts, RecordedSpan } from './recorded-span.ts';

/** The part of OTLP's trace messages that is shown (opentelemetry-proto, trace/v1/trace.proto). */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { repeated ScopeSpans scope_spans = 2; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1;
    bytes span_id = 2;
    bytes parent_span_id = 4;
    string name = 5;
    fixed64 start_time_unix_nano = 7;
    fixed64 end_time_unix_nano = 8;
    repeated KeyValue attributes = 9;
    repeated Event events = 11;
    Status status = 15;
  }
  message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; }
  message Status { int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue {
    oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; }
  }
`);
const Request = root.lookupType('Request');
const FAILED = 2;
const NANOSECONDS = 1_000_000;
/** Most items in one request; larger requests are refused, as other collectors refuse them. */
const MAX_ITEMS = 2_000;

const id = (bytes: number) =>
  z
    .instanceof(Uint8Array)
    .refine((value) => value.length === bytes)
    .transform((value) => Buffer.from(value).toString('hex'));
const time = z.string().transform((nanoseconds) => Number(BigInt(nanoseconds) / 1000n) / (NANOSECONDS / 1000));
const value = z.object({
  stringValue: z.string().max(65_536).optional(),
  boolValue: z.boolean().optional(),
  intValue: z.string().transform(Number).optional(),
  // JSON has no NaN.
  doubleValue: z.number().optional().catch(undefined),
});
const attributes = z
  .array(z.object({ key: z.string().max(200), value: value.default({}) }))
  .max(200)
  .default([])
  .transform((list): Facts =>
    Object.fromEntries(
      list.flatMap(({ key, value: { stringValue, boolValue, intValue, doubleValue } }) => {
        const one = stringValue ?? boolValue ?? intValue ?? doubleValue;
        return one === undefined ? [] : [[key, one]];
      }),
    ),
  );
const event = z
  .object({ timeUnixNano: time, name: z.string().max(200).default(''), attributes })
  .transform(({ timeUnixNano: at, name, attributes: facts }) => ({ at, name, facts }));
const span = z
  .object({
    traceId: id(16),
    spanId: id(8),
    parentSpanId: z.union([id(8), id(0)]).optional(),
    name: z.string().max(200).default(''),
    startTimeUnixNano: time,
    endTimeUnixNano: time,
    attributes,
    events: z.array(event).max(1_000).default([]),
    status: z.object({ code: z.number().default(0) }).default({ code: 0 }),
  })
  .transform(({ traceId, spanId, parentSpanId, name, attributes: facts, events, status, ...times }): RecordedSpan => ({
    traceId,
    id: spanId,
    ...(parentSpanId && { parentId: parentSpanId }),
    name,
    from: times.startTimeUnixNano,
    to: times.endTimeUnixNano,
    facts,
    events,
    hasFailed: status.code === FAILED,
  }));
/** Without those that can't be read: an exporter sends a program's own spans beside those of payments. */
const spans = z
  .array(z.unknown())
  .max(MAX_ITEMS)
  .default([])
  .transform((items) => items.flatMap((item) => span.safeParse(item).data ?? []));
const scope = z.object({ spans });
const resource = z.object({ scopeSpans: z.array(scope).max(MAX_ITEMS).default([]) });
const request = z.object({ resourceSpans: z.array(resource).max(MAX_ITEMS).default([]) });

/**
 * The spans of an OTLP/HTTP export request in protobuf, the exporters' default format.
 * @throws Error if the bytes are not such a request
 */
export function parseSpans(bytes: Uint8Array): RecordedSpan[] {
  const message = Request.toObject(Request.decode(bytes), { longs: String });
  return request.parse(message).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans));
}
