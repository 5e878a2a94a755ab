import { type ReadableSpan, TracerProvider } from '@opentelemetry/sdk-trace';
import { beforeEach, describe, expect, it } from 'vitest';
import { X402Error } from '../src/errors.ts';
import { startTrace } from '../src/start-trace.ts';
import { noTrace } from '../src/trace.ts';

const spans: ReadableSpan[] = [];
const processor = {
  onStart() {},
  onEnd: (ended: ReadableSpan) => void spans.push(ended),
  forceFlush: async () => {},
  shutdown: async () => {},
};
const tracer = new TracerProvider({ spanProcessors: [processor] }).getTracer('test');
const span = (name: string) => spans.find((one) => one.name === name);
/** Milliseconds since 1970: the SDK takes less than the age of the process for times since its start. */
const SOME_DAY = Date.UTC(2026, 0, 1);
const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

beforeEach(() => void spans.splice(0));

describe('a trace', () => {
  it('puts spans below the one that they are made in, across await and without a context manager', async () => {
    await startTrace({ tracer }).span('x402.fetch', {}, async (inside) => {
      await Promise.resolve();
      await inside.span('x402.sign', { transaction: 'TX' }, async () => {});
      inside.past('x402.phase.submit', {}, { from: SOME_DAY, to: SOME_DAY + 500 });
    });
    const root = span('x402.fetch')?.spanContext();
    expect(span('x402.sign')?.parentSpanContext?.spanId).toBe(root?.spanId);
    expect(span('x402.sign')?.attributes).toEqual({ 'x402.transaction': 'TX' });
    expect(span('x402.phase.submit')?.parentSpanContext?.spanId).toBe(root?.spanId);
    expect(span('x402.phase.submit')?.duration).toEqual([0, 500_000_000]);
  });

  it('continues the trace of a header, and sends it on', async () => {
    const sent = await startTrace({ tracer, traceparent: PARENT }).span(
      'x402.serve',
      {},
      async ({ headers }) => headers['traceparent'],
    );
    const served = span('x402.serve');
    expect(served?.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(served?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
    expect(sent).toBe(`00-0af7651916cd43dd8448eb211c80319c-${served?.spanContext().spanId}-01`);
  });

  it.each([
    'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    '00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-011',
    'whatever',
  ])('begins anew where the header is %s', async (traceparent) => {
    await startTrace({ tracer, traceparent }).span('x402.serve', {}, async () => {});
    expect(span('x402.serve')?.parentSpanContext).toBeUndefined();
  });

  it('marks a span that throws with the code, and with nothing of the message', async () => {
    const work = startTrace({ tracer }).span('x402.verify', {}, async () => {
      throw new X402Error('facilitator_unreachable', { message: 'the password is 1234' });
    });
    await expect(work).rejects.toMatchObject({ code: 'facilitator_unreachable' });
    const failed = span('x402.verify');
    expect(failed?.status).toEqual({ code: 2, message: 'facilitator_unreachable' });
    expect(JSON.stringify([failed?.attributes, failed?.events])).not.toContain('1234');
  });

  it('gives back what was done, or why it failed, where nobody can take its spans', async () => {
    const full = (): never => {
      throw new Error('no room for spans');
    };
    const failing = new TracerProvider({ spanProcessors: [{ ...processor, onEnd: full }] }).getTracer('test');
    const trace = startTrace({ tracer: failing });
    expect(await trace.span('x402.settle', {}, async () => 'paid')).toBe('paid');
    const refused = new X402Error('payment_refused');
    await expect(trace.span('x402.settle', {}, () => Promise.reject(refused))).rejects.toBe(refused);
    const neither = new TracerProvider({ spanProcessors: [{ ...processor, onStart: full }] }).getTracer('test');
    for (const past of [trace, startTrace({ tracer: neither })]) {
      expect(() => past.past('x402.phase.submit', {}, { from: SOME_DAY, to: SOME_DAY + 500 })).not.toThrow();
    }
  });

  it('says what is noted, and what happens, in the span', async () => {
    await startTrace({ tracer }).span('x402.serve', {}, async (inside) => {
      inside.note({ outcome: 'settled' });
      inside.event('x402.claimed', { outcome: 'claimed' });
    });
    expect(span('x402.serve')?.attributes).toEqual({ 'x402.outcome': 'settled' });
    expect(span('x402.serve')?.events).toMatchObject([
      { name: 'x402.claimed', attributes: { 'x402.outcome': 'claimed' } },
    ]);
  });

  it('records nothing without a tracer, and sends no header', async () => {
    const headers = await noTrace.span('x402.serve', {}, async (inside) => {
      inside.note({ outcome: 'settled' });
      return inside.headers;
    });
    expect(headers).toEqual({});
    expect(spans).toEqual([]);
  });
});
