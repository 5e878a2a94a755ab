import { X402Error } from '@avm402/core/errors';
import type { SettleResponse } from '@avm402/core/settle-response';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Exchange } from '../../src/exchange/exchange.ts';
import { charge } from '../../src/run/charge.ts';
import { type AnswerPayment, handlerEnd, heldRun, storedResponse } from '../../src/run/held-run.ts';
import type { Outgoing } from '../../src/run/let-go.ts';
import type { HandlerOutcome, HeldAnswer, HoldOptions } from '../../src/response/held-answer.ts';
import type { Reply } from '../../src/response/reply.ts';
import { channel } from '../support/channels.ts';

const { requirements } = channel(1);
const receipt: SettleResponse = { success: true, transaction: 'TX', network: 'algorand:x' };
const names = { txId: 'TX', payer: 'P' };

interface Setting {
  /** What the handler does when it runs, by the object that names its request. */
  readonly handler?: (subject: object) => void;
  readonly payment?: Partial<AnswerPayment>;
  readonly outgoing?: () => Outgoing | Promise<Outgoing>;
  readonly options?: object;
  readonly isDelivered?: boolean;
}

/** One run, and what happens in its order. */
function running({ handler, payment, outgoing = () => ({ receipt }), options, isDelivered = true }: Setting = {}) {
  const happened: string[] = [];
  const listeners = new Set<() => void>();
  let end: (outcome: HandlerOutcome) => void = () => undefined;
  const outcome = new Promise<HandlerOutcome>((resolve) => (end = resolve));
  const body = new Uint8Array(10);
  const held: HeldAnswer = {
    outcome,
    size: 10,
    answer: { status: 200, headers: [], body },
    release: () => happened.push('release'),
    replace: ({ status, body: text }: Reply) =>
      happened.push(`replace ${status} ${Object(JSON.parse(String(text ?? '{}'))).error}`),
    discard: () => happened.push('discard'),
  };
  let given: HoldOptions | undefined;
  const state = { isClosed: false };
  const responder = {
    subject: {},
    get isClosed() {
      return state.isClosed;
    },
    onClose: (listener: () => void) => {
      if (state.isClosed) listener();
      else listeners.add(listener);
      return () => listeners.delete(listener);
    },
    runHeld: (asked: HoldOptions) => {
      given = asked;
      happened.push('run');
      handler?.(responder.subject);
      return held;
    },
    delivered: async () => isDelivered,
    destroy: () => happened.push('destroy'),
  };
  const exchange = {
    request: { header: () => undefined },
    responder,
    seller: {
      heldBytes: { share: (payer: string) => ({ free: () => happened.push(`free ${payer}`) }) },
      options: { maxHeldBytes: 77, maxStoredBytes: 10, storedForMs: 1_000, now: () => 5, ...options },
    },
    trace: { span: (name: string, _facts: object, work: () => unknown) => (happened.push(name), work()) },
    report: ({ type, code, error }: { type: string; code?: string; error?: unknown }) =>
      happened.push([type, code, error instanceof X402Error ? error.code : error].filter(Boolean).join(' ')),
  } as unknown as Exchange;
  const asked: AnswerPayment = {
    names,
    requirements,
    maximum: 100n,
    isMetered: true,
    isAwaited: false,
    end: async (cost) => {
      happened.push(`charge ${cost}`);
      return outgoing();
    },
    release: () => void happened.push('give back'),
    ...payment,
  };
  const leave = (): void => {
    state.isClosed = true;
    for (const listener of listeners) listener();
  };
  const run = (): Promise<void> => heldRun(exchange, asked);
  return { exchange, held, happened, listeners, end, leave, run, given: () => given };
}

const ended = (kind: 'ended' | 'passed' | 'streaming'): HandlerOutcome => ({ kind });
const BEGUN = ['x402.handler', 'run'];

describe('an answer', () => {
  it('that has ended is charged what its handler said, then leaves, and its room is free once its connection is closed', async () => {
    const { run, end, leave, happened, given } = running({ handler: (subject) => void charge(subject, 7n) });
    end(ended('ended'));
    await run();
    expect(happened).toEqual([...BEGUN, 'charge 7', 'release', 'give back']);
    leave();
    expect(happened.at(-1)).toBe('free P');
    expect(given()).toEqual({ maxBytes: 77, share: expect.anything() });
  });

  it('whose price is fixed costs that, whatever its handler says', async () => {
    const { run, end, happened } = running({
      payment: { isMetered: false },
      handler: (subject) => void charge(subject, 7n),
    });
    end(ended('ended'));
    await run();
    expect(happened).toContain('charge 100');
  });

  it('that has ended after its client has left is charged only where the client can come back for it', async () => {
    for (const isAwaited of [false, true]) {
      const { run, end, leave, happened } = running({ payment: { isAwaited }, handler: () => leave() });
      end(ended('ended'));
      await run();
      expect(happened).toEqual(
        isAwaited
          ? [...BEGUN, 'charge 100', 'release', 'give back', 'free P']
          : [...BEGUN, 'give back', 'free P', 'released ended', 'discard'],
      );
    }
  });

  it.each<[string, HandlerOutcome, readonly string[]]>([
    ['passed', ended('passed'), ['released passed']],
    [
      'unholdable',
      { kind: 'unholdable', error: new X402Error('response_not_settleable') },
      ['released unholdable', 'failed response_not_settleable', 'replace 500 response_not_settleable'],
    ],
  ])('that is %s is not charged', async (_name, outcome, then) => {
    const { run, end, happened } = running();
    end(outcome);
    await run();
    expect(happened).toEqual([...BEGUN, 'give back', ...then]);
  });

  it('that never comes is not charged, and is told so', async () => {
    const { run, happened } = running({ options: { handlerTimeoutMs: 1 } });
    await run();
    expect(happened).toEqual([...BEGUN, 'give back', 'released timeout', 'replace 504 handler_timeout']);
  });

  it.each([
    [new X402Error('store_unavailable'), 'replace 503 store_unavailable'],
    [new Error('the disk is full'), 'replace 503 unexpected_settle_error'],
  ])('whose charge fails is withheld: %s', async (error, reply) => {
    const outgoing = async () => {
      throw error;
    };
    const { run, end, happened } = running({ outgoing });
    end(ended('ended'));
    await run();
    const why = error instanceof X402Error ? error.code : String(error);
    expect(happened).toEqual([...BEGUN, 'charge 100', `failed ${why}`, reply, 'give back']);
  });

  it('whose charge is refused while no offer can be made is withheld, and its client is told', async () => {
    const outgoing = async () => {
      throw new X402Error('no_matching_offer');
    };
    const { run, end, happened } = running({ outgoing });
    end(ended('ended'));
    await run();
    const told = ['x402.offer', 'replace 503 unexpected_settle_error'];
    expect(happened).toEqual([...BEGUN, 'charge 100', 'failed no_matching_offer', ...told, 'give back']);
  });

  it('that somebody else answers for is replaced', async () => {
    const { run, end, happened } = running({ outgoing: () => ({ reply: { status: 409, headers: {}, body: '{}' } }) });
    end(ended('ended'));
    await run();
    expect(happened).toEqual([...BEGUN, 'charge 100', 'replace 409 undefined', 'give back']);
  });

  it.each([true, false])('tells as it leaves whether it was delivered: %s', async (isDelivered) => {
    const told: boolean[] = [];
    const left = async (is: boolean): Promise<void> => void told.push(is);
    const { run, end } = running({ outgoing: () => ({ receipt, left }), isDelivered });
    end(ended('ended'));
    await run();
    expect(told).toEqual([isDelivered]);
  });

  it('whose head can’t be written is paid for all the same: its buyer gets the receipt, and it was not delivered', async () => {
    const told: boolean[] = [];
    const left = async (is: boolean): Promise<void> => void told.push(is);
    const { run, end, held, happened } = running({ outgoing: () => ({ receipt, left }) });
    held.release = () => {
      throw new Error('the app threw');
    };
    end(ended('ended'));
    await run();
    expect(told).toEqual([false]);
    expect(happened.slice(2)).toEqual([
      'charge 100',
      'failed Error: the app threw',
      'replace 500 response_failed',
      'give back',
    ]);
  });

  it('is broken off once another request answers for its payment', async () => {
    const lost = new AbortController();
    const { run, end, happened } = running({ outgoing: () => ({ receipt, lost: lost.signal }) });
    end(ended('ended'));
    await run();
    expect(happened).not.toContain('destroy');
    lost.abort();
    expect(happened.at(-1)).toBe('destroy');
  });

  it('of a handler that throws gives back what it had', async () => {
    const error = new Error('the app threw');
    const { run, leave, happened } = running({
      handler: () => {
        leave();
        throw error;
      },
    });
    await expect(run()).rejects.toBe(error);
    expect(happened).toEqual([...BEGUN, 'give back', 'free P']);
  });

  it('that is a stream is over when its last part is charged, and reported then', async () => {
    const stream = { part: async () => receipt, end: async () => receipt };
    const { run, end, given, happened } = running({ payment: { stream } });
    end(ended('streaming'));
    const over = run();
    await new Promise((resolve) => setImmediate(resolve));
    expect(happened).toEqual(BEGUN);
    given()?.streams?.end({});
    await over;
    expect(happened.slice(2)).toEqual(['settled', 'give back']);
  });
});

describe('a handler', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** How a handler ends that answers nothing; undefined while it runs. */
  function waiting(options: object, terms: { maxTimeoutSeconds?: number; isAwaited?: boolean } = {}) {
    const one = running({ options });
    const { maxTimeoutSeconds = 60, isAwaited = false } = terms;
    let kind: string | undefined;
    void handlerEnd(one.exchange, one.held, {
      requirements: { ...requirements, maxTimeoutSeconds },
      isAwaited,
    }).then((end) => (kind = end.kind));
    const after = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      return kind;
    };
    return { ...one, after };
  }

  it.each<[string, object, number, number]>([
    ['what its seller says', { handlerTimeoutMs: 50 }, 60, 50],
    ['what its offer says', {}, 60, 60_000],
    ['the longest that a timer can', {}, 1_000_000_000, 2_147_483_647],
  ])('has as much time as %s, and not a millisecond more', async (_name, options, maxTimeoutSeconds, ms) => {
    const { after } = waiting(options, { maxTimeoutSeconds });
    expect([await after(ms - 1), await after(1)]).toEqual([undefined, 'timeout']);
  });

  it('goes on for 15 seconds after its client has left where the client can come back', async () => {
    const { leave, after } = waiting({}, { isAwaited: true });
    leave();
    expect([await after(14_999), await after(1)]).toEqual([undefined, 'gone']);
  });

  it('ends as its client leaves where nobody can come back', async () => {
    const { leave, after } = waiting({});
    expect(await after(1)).toBeUndefined();
    leave();
    expect(await after(0)).toBe('gone');
  });

  it('ends the same way where its client has left before it began', async () => {
    const one = running();
    one.leave();
    const end = handlerEnd(one.exchange, one.held, { requirements, isAwaited: false });
    await vi.advanceTimersByTimeAsync(0);
    expect([await end, one.listeners.size]).toEqual([{ kind: 'gone' }, 0]);
  });

  it('that has answered leaves neither a timer nor a listener', async () => {
    const { end, after, listeners } = waiting({});
    expect([vi.getTimerCount(), listeners.size]).toEqual([1, 1]);
    end(ended('ended'));
    expect([await after(0), vi.getTimerCount(), listeners.size]).toEqual(['ended', 0, 0]);
  });
});

it.each([
  [10, 1_005],
  [9, undefined],
])('an answer of 10 bytes is kept for as long as its seller says where %s may be', (maxStoredBytes, keptUntil) => {
  const { exchange, held } = running({ options: { maxStoredBytes } });
  expect(storedResponse(exchange, held)?.keptUntil).toBe(keptUntil);
});
