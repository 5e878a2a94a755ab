import protobuf from 'protobufjs';
import { expect, it } from 'vitest';
import { parseSpans } from '../src/payments/parse-spans.ts';

const { root } = protobuf.parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { repeated ScopeSpans scope_spans = 2; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span { bytes trace_id = 1; bytes span_id = 2; string name = 5; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; double double_value = 4; } }
`);

function sent(...spans: readonly object[]): Uint8Array {
  const common = {
    startTimeUnixNano: 1,
    endTimeUnixNano: 2,
    traceId: new Uint8Array(16).fill(1),
    spanId: new Uint8Array(8).fill(2),
  };
  const request = root.lookupType('Request');
  return request
    .encode(
      request.fromObject({
        resourceSpans: [{ scopeSpans: [{ spans: spans.map((span) => ({ ...common, ...span })) }] }],
      }),
    )
    .finish();
}

const ofPayment = { name: 'x402.serve' };

it.each([
  [
    'a statement of 100,000 characters',
    { attributes: [{ key: 'db.statement', value: { stringValue: 'a'.repeat(100_000) } }] },
  ],
  ['a long name', { name: 'a'.repeat(201) }],
  ['an id of another length', { spanId: new Uint8Array(7) }],
])('a program’s own span with %s leaves out itself, not the payment beside it', (_what, own) => {
  expect(parseSpans(sent({ name: 'own', ...own }, ofPayment))).toMatchObject([ofPayment]);
});

it.each([NaN, Infinity])('an attribute that is %d is left out alone', (doubleValue) => {
  const attributes = [
    { key: 'ratio', value: { doubleValue } },
    { key: 'half', value: { doubleValue: 0.5 } },
  ];
  expect(parseSpans(sent({ ...ofPayment, attributes }))).toMatchObject([{ ...ofPayment, facts: { half: 0.5 } }]);
});
