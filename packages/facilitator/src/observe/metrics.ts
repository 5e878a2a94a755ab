import { createRequire } from 'node:module';
import { isX402ErrorCode } from '@avm402/core/errors';
import type * as Prometheus from 'prom-client';
import type { PhaseTimes } from '../settlement/phase-times.ts';
import type { Readiness } from './readiness.ts';
import { SETTLEMENT_ENDS, type SettlementEnd } from '../settlement/settlement-machine.ts';

// The index of prom-client also loads OpenTelemetry, which only the metrics of the process need.
const load = createRequire(import.meta.url);
const Registry: typeof Prometheus.Registry = load('prom-client/lib/registry');
const Counter: typeof Prometheus.Counter = load('prom-client/lib/counter');
const Gauge: typeof Prometheus.Gauge = load('prom-client/lib/gauge');
const Histogram: typeof Prometheus.Histogram = load('prom-client/lib/histogram');

/** Seconds. A round takes 2.8, an answer from memory less than a millisecond. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const STORE_BUCKETS = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5];

/**
 * What a facilitator counts and measures, in Prometheus' words. Labels come from closed sets: nothing of a payer, a
 * receiver, a transaction or a URL; `sponsor` is an account of our own.
 *
 * @example
 * ```ts
 * import { Metrics } from '@avm402/facilitator';
 *
 * const metrics = new Metrics();
 * console.log(await metrics.text());
 * ```
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = this.#counter('http_requests_total', 'Requests answered.', ['route', 'status']);
  readonly #requestSeconds = this.#histogram('http_request_seconds', 'Time to the answer.', ['route'], BUCKETS);
  readonly #refusals = this.#counter('refusals_total', 'Payments refused by verify and settle.', ['route', 'reason']);
  readonly #settlements = this.#counter('settlements_total', 'Settlements that have ended here.', ['outcome']);
  readonly #phaseSeconds = this.#histogram('settlement_phase_seconds', 'Time of a phase.', ['phase'], BUCKETS);
  readonly #storeSeconds = this.#histogram('store_seconds', 'Time of a call to the store.', ['method'], STORE_BUCKETS);
  readonly #storeFailures = this.#counter('store_failures_total', 'Calls to the store that failed.', ['method']);
  readonly #pending = this.#gauge('pending_settlements', 'Settlements whose outcome is open.');
  readonly #oldestPending = this.#gauge('oldest_pending_seconds', 'Age of the oldest of them.');
  readonly #refused = this.#gauge('refused_settlements', 'Refused payments that are watched until they expire.');
  readonly #problems = this.#gauge('problems', 'What GET /ready names; 1 while it does.', ['code', 'network']);
  readonly #round = this.#gauge('round', 'Highest round that a node has shown.', ['network']);
  readonly #roundAge = this.#gauge('seconds_since_round', 'Time since that round was first seen.', ['network']);
  readonly #nodes = this.#gauge('nodes', 'Nodes: all, connected, and behind the best.', ['network', 'state']);
  readonly #sponsorFunds = this.#gauge('sponsor_microalgos', 'What a sponsor can spend.', ['network', 'sponsor']);
  readonly #paymentsLeft = this.#gauge('sponsor_payments_left', 'Payments that this pays for.', ['network', 'sponsor']);
  readonly #sponsorOffered = this.#gauge('sponsor_offered', '1 for the one that offers name.', ['network', 'sponsor']);

  #measuresProcess = false;

  constructor() {
    // A counter that does not exist can't rise: an alert on its increase would miss the first outcome of each kind.
    for (const outcome of SETTLEMENT_ENDS) this.#settlements.inc({ outcome }, 0);
  }

  /** The media type of `text`. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Everything, in Prometheus' text format. The process itself is measured from the first call on. */
  text(): Promise<string> {
    if (!this.#measuresProcess) {
      const collectDefaultMetrics: typeof Prometheus.collectDefaultMetrics = load('prom-client/lib/defaultMetrics');
      collectDefaultMetrics({ register: this.#registry });
      this.#measuresProcess = true;
    }
    return this.#registry.metrics();
  }

  requestAnswered(route: string, status: number, ms: number): void {
    this.#requests.inc({ route, status });
    this.#requestSeconds.observe({ route }, ms / 1000);
  }

  /** A reason outside the catalogue is counted as `other`. */
  paymentRefused(route: 'verify' | 'settle', reason = ''): void {
    this.#refusals.inc({ route, reason: isX402ErrorCode(reason) ? reason : 'other' });
  }

  settlementEnded(outcome: SettlementEnd, { ms }: PhaseTimes): void {
    this.#settlements.inc({ outcome });
    for (const [phase, took] of Object.entries(ms)) this.#phaseSeconds.observe({ phase }, took / 1000);
  }

  /** Declares a method of the store, so that its failures are counted from zero. */
  storeMethod(method: string): void {
    this.#storeFailures.inc({ method }, 0);
  }

  storeCalled(method: string, ms: number): void {
    this.#storeSeconds.observe({ method }, ms / 1000);
  }

  storeFailed(method: string): void {
    this.#storeFailures.inc({ method });
  }

  /** Copies the facts of `GET /ready` into the gauges. */
  show({ settlements, problems, networks }: Readiness): void {
    this.#pending.set(settlements.pending);
    this.#oldestPending.set(settlements.oldestPendingSeconds);
    this.#refused.set(settlements.refused);
    this.#problems.reset();
    for (const { code, network = '' } of problems) this.#problems.set({ code, network }, 1);
    for (const state of networks) this.#showNetwork(state);
  }

  #showNetwork({ network, round, secondsSinceRound, nodes, sponsors }: Readiness['networks'][number]): void {
    this.#round.set({ network }, round);
    this.#roundAge.set({ network }, secondsSinceRound);
    for (const [state, count] of Object.entries(nodes)) this.#nodes.set({ network, state }, count);
    for (const { address: sponsor, offered, microAlgos, paymentsLeft } of sponsors) {
      this.#sponsorOffered.set({ network, sponsor }, offered ? 1 : 0);
      if (microAlgos !== undefined) this.#sponsorFunds.set({ network, sponsor }, Number(microAlgos));
      if (paymentsLeft !== undefined) this.#paymentsLeft.set({ network, sponsor }, paymentsLeft);
    }
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Prometheus.Counter<Label> {
    return new Counter({ name: `avm402_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #gauge<Label extends string>(name: string, help: string, labelNames: readonly Label[] = []): Prometheus.Gauge<Label> {
    return new Gauge({ name: `avm402_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #histogram<Label extends string>(name: string, help: string, labelNames: readonly Label[], buckets: number[]) {
    return new Histogram({ name: `avm402_${name}`, help, labelNames, buckets, registers: [this.#registry] });
  }
}
