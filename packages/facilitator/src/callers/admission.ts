import { X402Error } from '@avm402/core/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller, Callers } from './callers.ts';
import { peerOf } from './peer.ts';
import { RateLimit } from './rate-limit.ts';

export interface AdmissionOptions {
  /** Absent: nobody needs a key. */
  readonly callers?: Callers;
  /** Requests a minute from one IP address (IPv6: one /64) without a key. Loopback has no limit. Default 6000. */
  readonly perIp?: number;
  /** Requests that are worked on at a time, waiting settle calls among them. Default 4000. */
  readonly maxInFlight?: number;
  /** Milliseconds. */
  readonly now?: () => number;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `caller`: needs a key where there are any. `operator`: an operator's. Default: no key. */
    readonly needs?: 'caller' | 'operator';
    /** Whether it is answered however many requests there are, so that a busy facilitator is not taken for a dead one. */
    readonly isAlwaysAnswered?: boolean;
  }
  interface FastifyRequest {
    caller: Caller | undefined;
  }
}

const DEFAULT_PER_IP = 6_000;
const DEFAULT_MAX_IN_FLIGHT = 4_000;
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;

/** Decides by a request's headers alone, before its body is read, whether it is let in. */
export function admitRequests(app: FastifyInstance, options: AdmissionOptions): void {
  const { callers, perIp = DEFAULT_PER_IP, maxInFlight = DEFAULT_MAX_IN_FLIGHT, now = Date.now } = options;
  const ips = new RateLimit({ perMinute: perIp, now });
  const keys = new Map<string, RateLimit>();
  let inFlight = 0;

  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', async (request, reply) => {
    inFlight += 1;
    // Also when the caller has left.
    reply.raw.once('close', () => (inFlight -= 1));
    if (request.routeOptions.config.isAlwaysAnswered === true) return;
    if (inFlight > maxInFlight) throw new X402Error('facilitator_busy');
    request.caller = callers?.find(request.headers.authorization);
    limit(request);
    if (callers !== undefined) assertKey(request);
  });

  function limit({ caller, ip }: FastifyRequest): void {
    if (caller === undefined) return LOOPBACK.test(ip) ? undefined : ips.take(peerOf(ip));
    if (caller.perMinute === undefined) return undefined;
    const limits = keys.get(caller.name) ?? new RateLimit({ perMinute: caller.perMinute, now });
    keys.set(caller.name, limits);
    return limits.take(caller.name);
  }
}

/** @throws X402Error `caller_unknown`, `operator_only` */
function assertKey({ caller, routeOptions }: FastifyRequest): void {
  const { needs } = routeOptions.config;
  if (needs === undefined) return;
  if (caller === undefined) throw new X402Error('caller_unknown');
  if (needs === 'operator' && !caller.operator) throw new X402Error('operator_only');
}
