import { X402Error } from '@avm402/core/errors';
import { parseSettleResponse, type SettleResponse } from '@avm402/core/settle-response';
import { STORE_ID_HEADER } from '@avm402/core/supported-response';
import { noTrace, type Trace } from '@avm402/core/trace';
import { parseVerifyResponse, type VerifyResponse } from '@avm402/core/verify-response';
import type { FacilitatorClient } from '@x402/core/server';
import { isLoopbackHost } from '@avm402/core/loopback';
import { type HttpFacilitatorSettings, httpSettingsOf, isRecordingClient } from './stock-server.ts';
import type { Attempt } from './attempt.ts';
import { type FacilitatorSupport, failed, readAnswer, readBody, supportFrom } from './facilitator-answer.ts';
import { type JsonAnswer, JsonClient, OutOfTime } from './http-json.ts';
import type { PaymentQuestion } from './payment-question.ts';

/** How settlement is asked for. */
export interface SettleRequest {
  readonly idempotencyKey: string;
  /** Whether an answer is wanted as soon as a node has taken the payment (`Prefer: respond-async`). Default: no. */
  readonly respondAsync?: boolean;
  /** Where its spans belong. */
  readonly trace?: Trace;
}

/** How the record of a settlement is asked for. */
export interface LookUp {
  /** Whether an answer is wanted only once there is an outcome (`Prefer: wait`). Default: no. */
  readonly waits?: boolean;
}

/** An answer that was waited for still has to arrive in time. */
const ARRIVAL_MS = 5_000;

/** One facilitator, or one replica of it: a URL, or a client object of the app. `timeoutMs` covers a whole call. */
export interface FacilitatorEndpoint {
  /** Used in messages. */
  readonly name: string;
  supported(timeoutMs: number): Promise<Attempt<FacilitatorSupport>>;
  verify(question: PaymentQuestion, timeoutMs: number, trace?: Trace): Promise<Attempt<VerifyResponse>>;
  settle(question: PaymentQuestion, timeoutMs: number, request: SettleRequest): Promise<Attempt<SettleResponse>>;
  /**
   * The record of a settlement (`GET /settlements/{txid}`); undefined if the endpoint has none. With `waits`, once it has
   * an outcome, or when the time is nearly up.
   */
  settlement(txId: string, timeoutMs: number, look?: LookUp): Promise<Attempt<unknown>>;
}

/** @throws X402Error `facilitator_url_insecure` */
export function facilitatorEndpoint(client: FacilitatorClient, position: number): FacilitatorEndpoint {
  const settings = httpSettingsOf(client);
  return settings === undefined ? objectEndpoint(client, position) : new HttpEndpoint(settings);
}

interface HttpQuestion {
  /** The argument of `createAuthHeaders`. */
  readonly operation: 'supported' | 'verify' | 'settle';
  /** Default: the operation's name. */
  readonly path?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly trace?: Trace | undefined;
}

class HttpEndpoint implements FacilitatorEndpoint {
  readonly name: string;
  readonly #settings: HttpFacilitatorSettings;
  readonly #client: JsonClient;

  constructor(settings: HttpFacilitatorSettings) {
    this.name = secureUrl(settings.url);
    this.#settings = settings;
    this.#client = new JsonClient(new URL(this.name));
  }

  async supported(timeoutMs: number): Promise<Attempt<FacilitatorSupport>> {
    const attempt = await this.#ask({ operation: 'supported' }, timeoutMs);
    const storeId = attempt.kind === 'answer' ? attempt.answer.headers[STORE_ID_HEADER] : undefined;
    return readAnswer(this.name, attempt, (body) => supportFrom(body, storeId));
  }

  async verify(
    { json: body, headers }: PaymentQuestion,
    timeoutMs: number,
    trace?: Trace,
  ): Promise<Attempt<VerifyResponse>> {
    const attempt = await this.#ask({ operation: 'verify', body, headers, trace }, timeoutMs);
    return readAnswer(this.name, attempt, parseVerifyResponse, 'isValid');
  }

  async settle(
    { json: body, headers: named }: PaymentQuestion,
    timeoutMs: number,
    { idempotencyKey, respondAsync = false, trace }: SettleRequest,
  ): Promise<Attempt<SettleResponse>> {
    const prefer = respondAsync ? { Prefer: 'respond-async' } : {};
    const headers = { ...named, 'Idempotency-Key': idempotencyKey, ...prefer };
    const attempt = await this.#ask({ operation: 'settle', body, headers, trace }, timeoutMs);
    return readAnswer(this.name, attempt, parseSettleResponse, 'success');
  }

  async settlement(txId: string, timeoutMs: number, { waits = false }: LookUp = {}): Promise<Attempt<unknown>> {
    const path = `settlements/${encodeURIComponent(txId)}`;
    const waitMs = waits ? Math.min(timeoutMs, this.#settings.timeoutMs) - ARRIVAL_MS : 0;
    const headers = waitMs < 1_000 ? {} : { Prefer: `wait=${Math.floor(waitMs / 1_000)}` };
    const attempt = await this.#ask({ operation: 'settle', path, headers }, timeoutMs);
    if (attempt.kind === 'answer' && attempt.answer.status === 404) return { kind: 'answer', answer: undefined };
    return readAnswer(this.name, attempt, (body) => body);
  }

  async #ask(question: HttpQuestion, timeoutMs: number): Promise<Attempt<JsonAnswer>> {
    const { operation, path = operation, body, headers, trace = noTrace } = question;
    const limit = Math.min(timeoutMs, this.#settings.timeoutMs);
    const deadline = performance.now() + limit;
    let credentials: Record<string, string>;
    try {
      ({ headers: credentials } = await inTime(limit, () => this.#settings.createAuthHeaders(operation)));
    } catch (cause) {
      const why = cause instanceof OutOfTime ? 'did not answer in time' : 'failed';
      const message = `createAuthHeaders of the facilitator at ${this.name} ${why}`;
      return { kind: 'unsent', error: new X402Error('facilitator_unreachable', { message, cause }) };
    }
    const url = new URL(`${this.name}/${path}`);
    trace.message('sent', { method: body === undefined ? 'GET' : 'POST', url: url.href });
    const attempt = await this.#client.exchange({
      url,
      headers: { ...credentials, ...headers, ...trace.headers },
      timeoutMs: Math.max(1, deadline - performance.now()),
      ...(body !== undefined && { body }),
    });
    if (attempt.kind === 'answer') trace.message('received', { status: attempt.answer.status });
    return attempt;
  }
}

/**
 * A client object of the app. A facilitator in this process gets the key of a settlement, and is asked for its record.
 * Any other object is called as it is.
 */
function objectEndpoint(client: FacilitatorClient, position: number): FacilitatorEndpoint {
  const name = `facilitator client ${position + 1} (${client.constructor.name})`;
  const ask = async <T>(parse: (body: unknown) => T, timeoutMs: number, call: () => Promise<unknown>) => {
    let body: unknown;
    try {
      body = await inTime(timeoutMs, call);
    } catch (cause) {
      return failed(name, cause);
    }
    return readBody(name, body, parse);
  };
  const recording = isRecordingClient(client) ? client : undefined;
  return {
    name,
    supported: async (timeoutMs) => {
      const storeId = await recording?.storeId().catch(() => undefined);
      return ask(
        (body) => supportFrom(body, storeId),
        timeoutMs,
        () => client.getSupported(),
      );
    },
    verify: ({ payload, requirements }, timeoutMs) =>
      ask(parseVerifyResponse, timeoutMs, () => client.verify(payload, requirements)),
    settle: ({ payload, requirements }, timeoutMs, { trace: _trace, ...request }) =>
      ask(parseSettleResponse, timeoutMs, () =>
        recording === undefined
          ? client.settle(payload, requirements)
          : recording.settle(payload, requirements, request),
      ),
    settlement: (txId, timeoutMs, { waits = false } = {}) =>
      ask(
        (body) => body,
        timeoutMs,
        async () => recording?.settlement(txId, { waitMs: waits ? Math.max(0, timeoutMs - ARRIVAL_MS) : 0 }),
      ),
  };
}

/** Limits the time of code that belongs to the app and may never finish. */
async function inTime<T>(timeoutMs: number, call: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new OutOfTime('no answer in time')), timeoutMs);
  });
  try {
    return await Promise.race([call(), expired]);
  } finally {
    clearTimeout(timer);
  }
}

function secureUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname)))
    return text.replace(/\/+$/, '');
  throw new X402Error('facilitator_url_insecure', {
    message: `the facilitator URL "${text}" must be https, because anyone who can change its answers decides what is paid (http is for loopback only)`,
  });
}
