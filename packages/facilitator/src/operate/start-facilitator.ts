import type { FacilitatorConfig, StoreConfig } from './config.ts';
import { createFacilitatorApp } from '../http/app.ts';
import { isX402Error } from '@avm402/core/errors';
import { isLoopbackHost } from '@avm402/core/loopback';
import { Discovery, type DiscoveryOptions } from '../discovery/discovery.ts';
import type { Facilitator } from '../facilitator.ts';
import { createFacilitator } from '../local-facilitator.ts';
import { failClosed } from '../store-calls.ts';
import { type Log, silentLog } from '../log/log.ts';
import { Metrics } from '../observe/metrics.ts';
import type { SettlementStore } from '../settlement/settlement-store.ts';
import { sleep } from '../sleep.ts';
import { TroubleLog } from '../log/trouble-log.ts';
import { createSqliteSettlementStore } from '../stores/sqlite.ts';

/** A facilitator that answers over HTTP. */
export interface RunningFacilitator {
  /** Origin, e.g. `http://127.0.0.1:4022`. */
  readonly url: string;
  /** Reads the callers' file again and logs that; does nothing without such a file. A faulty file changes nothing. */
  reloadCallers(): void;
  /**
   * Takes no new requests, lets those under way end, and stops. After the drain timeout, waiting settle calls are
   * answered `settlement_pending`, and connections without a complete request are closed.
   */
  stop(): Promise<void>;
}

/** How long a facilitator waits for its algod at the start, and how often it tries. */
const CONNECT_TIMEOUT_MS = 30_000;
const CONNECT_PAUSE_MS = 500;

/** Time for the last answers after waiting has ended. */
const ANSWER_MS = 1_000;

/**
 * Starts a facilitator as configured: opens the store, connects the nodes, resumes unfinished settlements, and only then
 * opens the port.
 *
 * @example
 * ```ts
 * import { createLog, parseConfig, startFacilitator } from '@avm402/facilitator';
 *
 * const { url, stop } = await startFacilitator(parseConfig(process.env), createLog({ level: 'info' }));
 * console.log(`listening on ${url}`);
 * process.once('SIGTERM', () => void stop());
 * ```
 *
 * @throws X402Error `algod_unreachable` after 30 s, `algod_wrong_genesis`, `algod_token_refused`, `store_unavailable`; the
 * system's error if the port is taken
 */
export async function startFacilitator(config: FacilitatorConfig, log: Log = silentLog): Promise<RunningFacilitator> {
  const { algods, network, sponsorship, settleTimeoutMs, retentionDays, drainTimeoutMs, host, port } = config;
  const metrics = new Metrics();
  const store = await createStore(config.store, log);
  const telemetry = config.sendsSpans ? (await import('../observe/telemetry.ts')).startTelemetry(log) : undefined;
  const facilitator = createFacilitator({
    networks: [{ algods, ...(network !== undefined && { network }) }],
    ...(sponsorship !== undefined && { sponsorship }),
    ...(config.channels !== undefined && { channels: config.channels }),
    store,
    settleTimeoutMs,
    retentionDays,
    ...(config.limits !== undefined && { limits: config.limits }),
    logicSignatures: config.logicSignatures,
    ...(telemetry && { tracer: telemetry.tracer }),
    log,
    metrics,
  });
  const discovery = discoveryOf(config, { facilitator, catalogue: store.catalogue, log });
  const ledger = failClosed(store);
  const app = createFacilitatorApp(facilitator, { ...config.access, ...discovery, ledger, log, metrics });
  try {
    await startWhenNodeAnswers(facilitator, log);
    const url = await app.listen({ host, port });
    if (!isLoopbackHost(host) && config.access?.callers === undefined)
      log.warn({ host }, 'anyone who reaches this port can have payments verified, settled and sponsored');
    return { url, reloadCallers: () => reloadCallers(config, log), stop: () => stop() };
  } catch (error) {
    await facilitator.close();
    throw error;
  }

  async function stop(): Promise<void> {
    const endOfWaiting = setTimeout(() => facilitator.stopWaiting(), drainTimeoutMs);
    // A connection that sends no request, or half of one, would never end by itself.
    const endOfConnections = setTimeout(() => app.server.closeAllConnections(), drainTimeoutMs + ANSWER_MS);
    await app.close();
    clearTimeout(endOfWaiting);
    clearTimeout(endOfConnections);
    await facilitator.close();
    await telemetry?.stop();
  }
}

function reloadCallers({ access }: FacilitatorConfig, log: Log): void {
  const callers = access?.callers;
  if (callers === undefined) return;
  try {
    callers.reload();
    log.info({ callers: callers.size }, 'CALLERS_FILE was read again');
  } catch (error) {
    log.error({ err: error }, 'CALLERS_FILE could not be read again; the previous callers stay');
  }
}

/** A node that starts at the same time as this program may need a moment. */
async function startWhenNodeAnswers(facilitator: Facilitator, log: Log): Promise<void> {
  const deadline = Date.now() + CONNECT_TIMEOUT_MS;
  const troubles = new TroubleLog(log);
  for (;;) {
    try {
      return await facilitator.start();
    } catch (error) {
      if (!isX402Error(error, 'algod_unreachable') || Date.now() >= deadline) throw error;
      troubles.happened('algod does not answer; waiting for it', {});
      await sleep(CONNECT_PAUSE_MS);
    }
  }
}

interface DiscoveryParts extends Pick<DiscoveryOptions, 'catalogue' | 'log'> {
  readonly facilitator: Facilitator;
}

/** The operator knows sellers by their key's receivers if there are keys, otherwise those sponsored by name. */
function discoveryOf(
  { discovery: sellers, access, sponsorship }: FacilitatorConfig,
  { facilitator, ...parts }: DiscoveryParts,
): { readonly discovery?: Discovery } {
  if (sellers === 'off') return {};
  const byName = new Set(access?.callers === undefined ? sponsorship?.payTo : []);
  const discovery = new Discovery({
    ...parts,
    ...(sellers !== undefined && { sellers }),
    isListed: (payTo, caller) => caller?.receivers?.includes(payTo) ?? byName.has(payTo),
    isDevelopment: (network) => facilitator.isDevelopment(network),
  });
  return { discovery };
}

/** PostgreSQL's client is loaded only where it is used: without it the program starts sooner. */
async function createStore(config: StoreConfig, log: Log): Promise<SettlementStore> {
  if (config.kind === 'postgres') {
    const { createPostgresSettlementStore } = await import('../stores/postgres.ts');
    return createPostgresSettlementStore({ url: config.url, log });
  }
  return createSqliteSettlementStore({ path: config.path, sync: config.sync });
}
