import { randomUUID } from 'node:crypto';
import type { AlgodClient } from '@avm402/algorand/algod';
import type { ExactAvmFacilitator } from '@avm402/avm/exact/facilitator';
import { type FacilitatorNetwork, isRefusal, type SponsoredParties } from '@avm402/avm/sponsorship';
import { X402Error } from '@avm402/core/errors';
import { canonicalNetwork, isAlgorandNetwork, type Network } from '@avm402/core/network';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { SupportedResponse } from '@avm402/core/supported-response';
import type { VerifyResponse } from '@avm402/core/verify-response';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { BatchSettlementAvmFacilitator } from '@avm402/avm/batch-settlement/facilitator';
import type { UptoAvmFacilitator } from '@avm402/avm/upto/facilitator';
import { SettlementLimits } from './settlement/settlement-limits.ts';
import { type Chain, connectChain } from './chain/chain.ts';
import { Channels } from './schemes/channels.ts';
import { ExactPayments } from './schemes/exact.ts';
import type { SchemeSettlement } from './schemes/scheme-settlement.ts';
import type { Facilitator } from './facilitator.ts';
import { FACILITATOR_DEFAULTS, type FacilitatorOptions } from './facilitator-options.ts';
import { FacilitatorSpans } from './observe/facilitator-spans.ts';
import { failClosed } from './store-calls.ts';
import { type Log, silentLog } from './log/log.ts';
import { measuredStore } from './observe/measured-store.ts';
import { type Readiness, readinessOf } from './observe/readiness.ts';
import { requestContext } from './log/request-context.ts';
import { Retention } from './settlement/retention.ts';
import { settleRefusal, type SettlementStatus, spelledNetwork, statusOf } from './settlement/answer.ts';
import type { LookUpOptions, SettleOptions } from './settlement/settle-options.ts';
import type { SettlementStore } from './settlement/settlement-store.ts';
import { Settler } from './settlement/settler.ts';
import { Sponsors } from './sponsor/sponsors.ts';
import { createMemorySettlementStore } from './stores/memory.ts';
import { supportedKinds } from './schemes/supported-kinds.ts';
import { TroubleLog } from './log/trouble-log.ts';
import { UptoPayments } from './schemes/upto.ts';
import { WritableStore } from './observe/writable-store.ts';

const NO_STORE = 'the settlement store does not answer';

/**
 * A facilitator for the schemes `exact`, `batch-settlement` and `upto` on one or more Algorand networks. It connects at
 * its first call, or at `start`.
 *
 * @example
 * ```ts
 * import { createAlgodClient } from '@avm402/algorand/algod';
 * import { createFacilitator, createKeepAliveExchange, createSqliteSettlementStore } from '@avm402/facilitator';
 *
 * const exchange = createKeepAliveExchange();
 * const facilitator = createFacilitator({
 *   networks: [{ algods: [createAlgodClient({ url: 'http://127.0.0.1:4001', token: 'a'.repeat(64), exchange })] }],
 *   store: createSqliteSettlementStore({ path: 'settlements.sqlite' }),
 * });
 * await facilitator.start();
 * ```
 */
export function createFacilitator(options: FacilitatorOptions): Facilitator {
  return new LocalFacilitator(options);
}

class LocalFacilitator implements Facilitator {
  readonly #options: FacilitatorOptions;
  readonly #store: SettlementStore;
  readonly #writable: WritableStore;
  readonly #log: Log;
  readonly #troubles: TroubleLog;
  readonly #now: () => number;
  readonly #leaseMs: number;
  readonly #chains = new Map<Network, Chain>();
  readonly #served = new Map<Network, FacilitatorNetwork>();
  readonly #sponsors: Sponsors;
  readonly #settler: Settler;
  readonly #limits: SettlementLimits;
  readonly #retention: Retention;
  readonly #exact: ExactPayments;
  readonly #channels: Channels;
  readonly #upto: UptoPayments;
  /** Every scheme but `exact`. */
  readonly #others: readonly SchemeSettlement[];
  readonly #spans: FacilitatorSpans;
  #started: Promise<void> | undefined;
  #chore: NodeJS.Timeout | undefined;
  #isStoreOpen = false;
  #isClosed = false;

  constructor(options: FacilitatorOptions) {
    const { log = silentLog, now = Date.now, store = createMemorySettlementStore(), metrics } = options;
    this.#options = options;
    this.#spans = new FacilitatorSpans(options.tracer);
    this.#store = failClosed(metrics === undefined ? store : measuredStore(store, metrics));
    this.#writable = new WritableStore(this.#store, now);
    this.#retention = new Retention(this.#store, options.retentionDays ?? FACILITATOR_DEFAULTS.retentionDays);
    this.#log = log;
    this.#troubles = new TroubleLog(log);
    this.#now = now;
    const { sponsorship } = options;
    this.#sponsors = new Sponsors({ sponsorship, store: this.#store, log, troubles: this.#troubles, now });
    this.#leaseMs = options.leaseMs ?? FACILITATOR_DEFAULTS.leaseMs;
    const budgetsOf = (network: Network, parties: SponsoredParties) =>
      this.#sponsors.budgetsOf(this.#chainOf(network), parties);
    this.#limits = new SettlementLimits(options.limits ?? {}, now);
    this.#settler = new Settler({
      store: this.#store,
      chainOf: (network) => this.#chainOf(network),
      budgetsOf,
      owner: randomUUID(),
      leaseMs: this.#leaseMs,
      settleTimeoutMs: options.settleTimeoutMs ?? FACILITATOR_DEFAULTS.settleTimeoutMs,
      limits: this.#limits,
      onRejected: ({ payer }) => this.scheme.verifier.distrust(payer),
      onEnd: (end, times) => metrics?.settlementEnded(end, times),
      log,
      now,
    });
    const parts = {
      settler: this.#settler,
      settle: (payload: PaymentPayload, requirements: PaymentRequirements) => this.settle(payload, requirements),
      networkOf: (network: string) => this.#networkOf(network),
      now,
    };
    const channelParts = { ...parts, store: this.#store, options: options.channels ?? {}, budgetsOf, log };
    this.#exact = new ExactPayments({ ...parts, takesPrograms: options.logicSignatures ?? true });
    this.#channels = new Channels(channelParts);
    this.#upto = new UptoPayments(parts);
    this.#others = [this.#channels, this.#upto];
  }

  get scheme(): ExactAvmFacilitator {
    return this.#exact.scheme;
  }

  get channels(): BatchSettlementAvmFacilitator {
    return this.#channels.scheme;
  }

  get upto(): UptoAvmFacilitator {
    return this.#upto.scheme;
  }

  get networks(): readonly Network[] {
    return [...this.#chains.values()].flatMap(({ longNetwork, network }) => [longNetwork, network]);
  }

  async start(): Promise<void> {
    if (this.#isClosed) throw new X402Error('shutting_down');
    // Background work starts here. It belongs to no request, not even to the one that started it.
    this.#started ??= requestContext.exit(() => this.#start());
    await this.#started;
  }

  verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<VerifyResponse> {
    return this.#spans.verify(requirements, () => this.#verify(payload, requirements));
  }

  async #verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<VerifyResponse> {
    await this.start();
    const scheme = this.#schemeOf(requirements);
    const verdict = await scheme.scheme.verify(payload, requirements);
    const { isValid, payer } = verdict;
    try {
      // A payment that would not be settled now is not worth a handler's work either.
      if (isValid && payer !== undefined) this.#limits.check({ payer, payTo: requirements.payTo });
      return verdict;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (!(await scheme.begins(payload, requirements))) return verdict;
      return { isValid: false, invalidReason: error.code, invalidMessage: error.message };
    }
  }

  settle(
    payload: PaymentPayload,
    requirements: PaymentRequirements,
    options: SettleOptions = {},
  ): Promise<SettleResponse> {
    return this.#spans.settle(requirements, async () => {
      await this.start();
      try {
        return await this.#schemeOf(requirements).settle(payload, requirements, options);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return settleRefusal(error, spelledNetwork(requirements));
      }
    });
  }

  /** A payment of any other scheme goes to `exact`, which refuses it. */
  #schemeOf({ scheme }: { readonly scheme?: unknown }): SchemeSettlement {
    return this.#others.find((one) => one.scheme.scheme === scheme) ?? this.#exact;
  }

  async getSupported(): Promise<SupportedResponse> {
    await this.start();
    const { networks, scheme: exact } = this;
    const sponsorOn = (network: Network) => this.#networkOf(network)?.sponsor;
    const kinds = supportedKinds({ networks, exact, others: this.#others.map(({ scheme }) => scheme), sponsorOn });
    const signers = { [exact.caipFamily]: [...new Set(networks.flatMap((network) => exact.getSigners(network)))] };
    return { kinds, extensions: [], signers };
  }

  async storeId(): Promise<string> {
    await this.start();
    return this.#store.id();
  }

  sponsors(network: string, payTo: string): boolean {
    const sponsor = this.#networkOf(network)?.sponsor;
    return sponsor !== undefined && (sponsor.anyone || sponsor.payTo.has(payTo));
  }

  isDevelopment(network: string): boolean {
    return isAlgorandNetwork(network) && this.#chains.get(canonicalNetwork(network))?.development === true;
  }

  async settlement(txId: string, { waitMs = 0 }: LookUpOptions = {}): Promise<SettlementStatus | undefined> {
    await this.start();
    const settlement = await this.#settler.recorded(txId, waitMs);
    return settlement && statusOf(settlement);
  }

  async readiness(): Promise<Readiness> {
    await this.start();
    const storeIsWritable = await this.#writable.isWritable();
    const chains = [...this.#chains.values()].map((chain) => {
      const feePayers = this.#sponsors.feePayersOf(chain.network);
      return { chain, ...(feePayers && { feePayers }) };
    });
    return readinessOf({ chains, storeIsWritable, settlements: this.#settler.openCounts(), now: this.#now() });
  }

  stopWaiting(): void {
    this.#settler.stopWaiting();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#settler.close();
    await this.#started?.catch(() => {});
    clearInterval(this.#chore);
    await this.#disconnect();
    await this.#store.close();
  }

  async #start(): Promise<void> {
    try {
      await this.#openStore();
      for (const { algods, network } of this.#options.networks) await this.#connect(algods, network);
      await this.#settler.resume([...this.#chains.keys()]);
    } catch (error) {
      await this.#disconnect();
      this.#started = undefined;
      throw error;
    }
    this.#chore = setInterval(() => void this.#doChores(), this.#leaseMs / 3);
    this.#chore.unref();
  }

  /** Opens it once, although `start` may be tried several times. */
  async #openStore(): Promise<void> {
    if (this.#isStoreOpen) return;
    await this.#store.open();
    this.#isStoreOpen = true;
  }

  async #disconnect(): Promise<void> {
    await Promise.all([...this.#chains.values()].map(({ watcher }) => watcher.stop()));
    this.#chains.clear();
    this.#served.clear();
    this.#sponsors.disconnect();
    this.#channels.stop();
  }

  async #connect(algods: readonly AlgodClient[], expected: string | undefined): Promise<void> {
    const chain = await connectChain({
      algods,
      ...(expected !== undefined && { network: expected }),
      store: this.#store,
      onBack: () => {
        this.scheme.verifier.forgetSimulations();
        this.#settler.wentBack();
      },
      log: this.#log,
      troubles: this.#troubles,
      now: this.#now,
    });
    if (this.#chains.has(chain.network)) {
      await chain.watcher.stop();
      throw namedTwice(chain.network);
    }
    // This comes before anything that can fail: rounds are watched already, and only networks listed here are stopped.
    this.#chains.set(chain.network, chain);
    const { pool, genesisHash } = chain;
    const sponsor = this.#sponsors.connect(chain);
    this.#served.set(chain.network, {
      genesisHash,
      algod: pool,
      lastRound: () => pool.lastRound,
      ...(sponsor !== undefined && { sponsor }),
    });
    if (sponsor !== undefined) this.#channels.serve(chain, sponsor);
    const feePayer = sponsor === undefined ? 'none' : [...sponsor.accounts.keys()].join(' ');
    this.#log.info({ network: chain.network, feePayer }, 'serving a network');
  }

  /** Checks the nodes, renews our leases, takes over the rows of dead replicas, and forgets old rows. */
  async #doChores(): Promise<void> {
    // Not awaited: a node that hangs may take longer to fail than our leases last.
    for (const { pool } of this.#chains.values()) void pool.check();
    this.#sponsors.check();
    try {
      await this.#settler.resume([...this.#chains.keys()]);
      void this.#channels.sweep();
      await this.#retention.prune(this.#now());
      this.#troubles.isOver(NO_STORE, 'the settlement store answers again', {});
    } catch (error) {
      this.#troubles.happened(NO_STORE, { err: error });
    }
  }

  /** After `close` no network is served; that must not look like a refusal of the payment. */
  #networkOf(network: string): FacilitatorNetwork | undefined {
    if (this.#isClosed) throw new X402Error('shutting_down');
    return isAlgorandNetwork(network) ? this.#served.get(canonicalNetwork(network)) : undefined;
  }

  #chainOf(network: string): Chain {
    if (this.#isClosed) throw new X402Error('shutting_down');
    const chain = this.#chains.get(canonicalNetwork(network));
    if (chain === undefined) throw new X402Error('unsupported_network', { message: `${network} is not served here` });
    return chain;
  }
}

function namedTwice(network: Network): X402Error {
  return new X402Error('environment_invalid', {
    message: `two entries of networks are of ${network}; list all its algods in one entry`,
  });
}
