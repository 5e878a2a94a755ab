import { X402Error } from '@avm402/core/errors';
import { parseSettleResponse, type SettleResponse } from '@avm402/core/settle-response';
import { parseSupportedResponse, type SupportedResponse } from '@avm402/core/supported-response';
import { parseVerifyResponse, type VerifyResponse } from '@avm402/core/verify-response';
import type { FacilitatorClient } from '@x402/core/server';
import { type HttpFacilitatorSettings, httpSettingsOf } from '../stock-server.ts';
import { exchangeJson, type JsonAnswer, JsonTarget } from './http-json.ts';
import type { PaymentQuestion } from './payment-question.ts';

export interface Deadline {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** One place that answers for a facilitator: a URL, or a client object of the app. */
export interface FacilitatorEndpoint {
  /** For messages. */
  readonly name: string;
  supported(deadline: Deadline): Promise<SupportedResponse>;
  verify(question: PaymentQuestion, deadline: Deadline): Promise<VerifyResponse>;
  settle(question: PaymentQuestion, options: Deadline & { readonly idempotencyKey: string }): Promise<SettleResponse>;
  /** What became of a settlement (`GET /settlements/{txid}`); undefined if this endpoint can't tell. */
  settlement(txId: string, deadline: Deadline): Promise<unknown>;
}

/** @throws X402Error `facilitator_url_insecure` */
export function facilitatorEndpoint(client: FacilitatorClient, position: number): FacilitatorEndpoint {
  const settings = httpSettingsOf(client);
  return settings === undefined ? objectEndpoint(client, position) : httpEndpoint(settings);
}

function httpEndpoint(settings: HttpFacilitatorSettings): FacilitatorEndpoint {
  const base = secureUrl(settings.url);
  const target = (path: string): JsonTarget => new JsonTarget(new URL(`${base}${path}`));
  const targets = { supported: target('/supported'), verify: target('/verify'), settle: target('/settle') };
  const send = async (
    operation: keyof typeof targets,
    { timeoutMs, signal }: Deadline,
    request: { target?: JsonTarget; body?: string; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<JsonAnswer> => {
    const headers = await authHeaders(
      settings,
      operation,
      signal === undefined ? { timeoutMs } : { timeoutMs, signal },
    );
    return exchangeJson({
      method: request.body === undefined ? 'GET' : 'POST',
      target: request.target ?? targets[operation],
      headers: { ...headers, ...request.headers },
      timeoutMs: Math.min(timeoutMs, settings.timeoutMs),
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(signal === undefined ? {} : { signal }),
    });
  };
  return {
    name: base,
    supported: async (deadline) => parsed(parseSupported, succeeded(await send('supported', deadline), base), base),
    verify: async ({ json }, deadline) => {
      const answer = await send('verify', deadline, { body: json });
      return parsed(
        parseVerifyResponse,
        isVerdict(answer.body, 'isValid') ? answer.body : succeeded(answer, base),
        base,
      );
    },
    settle: async ({ json }, { idempotencyKey, ...deadline }) => {
      const headers = { 'Idempotency-Key': idempotencyKey };
      const answer = await send('settle', deadline, { body: json, headers });
      return parsed(
        parseSettleResponse,
        isVerdict(answer.body, 'success') ? answer.body : succeeded(answer, base),
        base,
      );
    },
    settlement: async (txId, deadline) => {
      const answer = await send('settle', deadline, { target: target(`/settlements/${encodeURIComponent(txId)}`) });
      return answer.status === 200 ? answer.body : undefined;
    },
  };
}

async function authHeaders(
  settings: HttpFacilitatorSettings,
  operation: string,
  deadline: Deadline,
): Promise<Record<string, string>> {
  try {
    const { headers } = await inTime(deadline, () => settings.createAuthHeaders(operation));
    return headers;
  } catch (cause) {
    const why = cause instanceof OutOfTime ? 'did not answer in time' : 'failed';
    throw new X402Error('facilitator_unreachable', {
      message: `createAuthHeaders of the facilitator at ${settings.url} ${why}`,
      details: { sent: 0 },
      cause,
    });
  }
}

/** A client of the app's own, e.g. a facilitator in the same process. It is called as it is, without a key. */
function objectEndpoint(client: FacilitatorClient, position: number): FacilitatorEndpoint {
  const name = `facilitator client ${position + 1} (${client.constructor.name})`;
  return {
    name,
    supported: async (deadline) =>
      parsed(parseSupported, await within(deadline, name, () => client.getSupported()), name),
    verify: async ({ payload, requirements }, deadline) =>
      parsed(parseVerifyResponse, await within(deadline, name, () => client.verify(payload, requirements)), name),
    settle: async ({ payload, requirements }, deadline) =>
      parsed(parseSettleResponse, await within(deadline, name, () => client.settle(payload, requirements)), name),
    settlement: () => Promise.resolve(undefined),
  };
}

/** Kinds of x402 v1 name networks in another way; they are of no use here, and no reason to refuse the rest. */
function parseSupported(body: unknown): SupportedResponse {
  const kinds: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'kinds') : undefined;
  if (!Array.isArray(kinds)) return parseSupportedResponse(body);
  return parseSupportedResponse({ ...Object(body), kinds: kinds.filter((kind) => !isVersion1(kind)) });
}

function isVersion1(kind: unknown): boolean {
  return typeof kind === 'object' && kind !== null && Reflect.get(kind, 'x402Version') === 1;
}

/** Some facilitators answer a refusal with an error status; the verdict in the body counts. */
function isVerdict(body: unknown, member: 'isValid' | 'success'): boolean {
  return typeof body === 'object' && body !== null && typeof Reflect.get(body, member) === 'boolean';
}

/** Reads an answer. One that is none may have followed work that was done: nothing is known of that. */
function parsed<T>(parse: (body: unknown) => T, body: unknown, name: string): T {
  try {
    return parse(body);
  } catch (cause) {
    throw new X402Error('facilitator_bad_answer', {
      message: `${name} answered something that is no x402 answer`,
      details: { sent: 1 },
      cause,
    });
  }
}

function succeeded({ status, body, retryAfter }: JsonAnswer, name: string): unknown {
  if (status >= 200 && status < 300) return body;
  throw new X402Error(status === 429 || status >= 500 ? 'facilitator_unreachable' : 'facilitator_bad_answer', {
    message: `the facilitator at ${name} answered with status ${status}`,
    // A 4xx says that the request was not worked on.
    details: {
      status,
      sent: status >= 400 && status < 500 ? 0 : 1,
      ...(retryAfter === undefined ? {} : { retryAfter }),
    },
  });
}

async function within<T>(deadline: Deadline, name: string, call: () => Promise<T>): Promise<T> {
  try {
    return await inTime(deadline, call);
  } catch (cause) {
    throw new X402Error('facilitator_unreachable', { message: `${name} failed`, details: { sent: 1 }, cause });
  }
}

class OutOfTime extends Error {}

/** Waits for code of the app's, which may never come to an end. */
async function inTime<T>({ timeoutMs, signal }: Deadline, call: () => Promise<T>): Promise<T> {
  let end = (): void => {};
  const expired = new Promise<never>((_resolve, reject) => {
    const giveUp = (): void => reject(new OutOfTime('no answer in time'));
    const timer = setTimeout(giveUp, timeoutMs);
    signal?.addEventListener('abort', giveUp, { once: true });
    end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    };
  });
  try {
    return await Promise.race([call(), expired]);
  } finally {
    end();
  }
}

function secureUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLoopback = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url?.hostname ?? '');
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback)) return text.replace(/\/+$/, '');
  throw new X402Error('facilitator_url_insecure', {
    message: `the facilitator URL "${text}" must be https: whoever can change its answers decides what is paid (http is for loopback only)`,
  });
}
