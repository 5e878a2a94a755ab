import { X402Error } from '@avm402/core/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isLoopbackAddress } from '@avm402/core/loopback';
import { peerOf } from '@avm402/core/peer';
import { type Log, silentLog } from '../log/log.ts';
import { ArrivingBodies } from './arriving-bodies.ts';
import type { Caller, Callers } from '../callers/callers.ts';
import { RateLimit } from '../callers/rate-limit.ts';
import { WorkUnderWay } from './work-under-way.ts';

export interface AdmissionOptions {
  /** Default: nobody needs a key. */
  readonly callers?: Callers;
  /** Requests a minute from one IP address (IPv6: one /64) without a key. Loopback has no limit. Default 6000. */
  readonly perIp?: number;
  /** Bodies that may be arriving from one such address at a time. Default 256. */
  readonly maxBodiesPerIp?: number;
  /**
   * Requests that are worked on at a time, including settle calls that wait. A key, or an address without one, may have
   * as many of them as are left for others. Default 4000.
   */
  readonly maxInFlight?: number;
  /** Milliseconds. */
  readonly now?: () => number;
  readonly log?: Log;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `caller`: needs a key if there are callers. `operator`: needs an operator's key. Default: no key. */
    readonly needs?: 'caller' | 'operator';
    /** Whether it is answered under any load, so that a busy facilitator is not taken for a dead one. */
    readonly isAlwaysAnswered?: boolean;
  }
  interface FastifyRequest {
    caller: Caller | undefined;
  }
}

export const ADMISSION_DEFAULTS = { perIp: 6_000, maxBodiesPerIp: 256, maxInFlight: 4_000 } as const;

/** Decides whether a request is let in, by its headers alone, before its body is read. */
export function admitRequests(app: FastifyInstance, options: AdmissionOptions): void {
  const {
    callers,
    perIp,
    maxBodiesPerIp,
    maxInFlight,
    now = Date.now,
    log = silentLog,
  } = {
    ...ADMISSION_DEFAULTS,
    ...options,
  };
  boundWork(app, maxInFlight);
  const bodies = new ArrivingBodies(maxBodiesPerIp);
  const ips = new RateLimit({ perMinute: perIp, now });
  const keys = new WeakMap<Caller, RateLimit>();
  let isProxyNamed = false;

  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.isAlwaysAnswered === true) return;
    request.caller = callers?.find(request.headers.authorization);
    if (request.caller !== undefined) limitKey(request.caller);
    else if (isLoopbackAddress(request.ip)) nameProxy(request);
    else limitPeer(request, peerOf(request.ip));
    if (callers !== undefined) assertKey(request);
  });

  function limitKey(caller: Caller): void {
    const { name, perMinute } = caller;
    if (perMinute === undefined) return;
    const limit = keys.get(caller) ?? new RateLimit({ perMinute, now });
    keys.set(caller, limit);
    limit.take(name);
  }

  function limitPeer({ raw }: FastifyRequest, peer: string): void {
    ips.take(peer);
    bodies.arrives(peer, raw);
  }

  /** Warns once: no caller behind such a proxy is limited, because this machine is not. */
  function nameProxy({ headers }: FastifyRequest): void {
    if (isProxyNamed || (headers['x-forwarded-for'] === undefined && headers.forwarded === undefined)) return;
    isProxyNamed = true;
    log.warn({}, UNBELIEVED_PROXY);
  }
}

const UNBELIEVED_PROXY =
  'a proxy on this machine forwards requests, and TRUSTED_PROXIES does not name it: the clients behind it are not limited';

/** A request counts only when its body has arrived: a head alone costs its sender too little to keep others out. */
function boundWork(app: FastifyInstance, maxInFlight: number): void {
  const work = new WorkUnderWay(maxInFlight);
  const isExempt = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.isAlwaysAnswered === true;
  app.addHook('onRequest', async (request, reply) => {
    closeWithConnection(request, reply);
    if (!isExempt(request)) work.check();
  });
  app.addHook('preValidation', async (request, reply) => {
    if (isExempt(request)) return;
    // Fires as well when the caller has left.
    reply.raw.once('close', work.begin(senderOf(request)));
  });
}

/** Closes an answer that waits behind another one when their connection breaks: before Node 24.16, nothing else does. */
function closeWithConnection({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply): void {
  if (raw.socket !== null) return;
  const close = (): void => void raw.emit('close');
  // A client may have any number of requests wait.
  socket.setMaxListeners(0).once('close', close);
  raw.once('socket', () => socket.off('close', close));
}

/** The sender whose share of the work a request takes; undefined for this machine, which may forward for many senders. */
function senderOf({ caller, ip }: FastifyRequest): string | undefined {
  if (caller !== undefined) return `key ${caller.name}`;
  return isLoopbackAddress(ip) ? undefined : peerOf(ip);
}

/** @throws X402Error `caller_unknown`, `operator_only` */
function assertKey({ caller, routeOptions }: FastifyRequest): void {
  const { needs } = routeOptions.config;
  if (needs === undefined) return;
  if (caller === undefined) throw new X402Error('caller_unknown');
  if (needs === 'operator' && !caller.operator) throw new X402Error('operator_only');
}
