import { parseAddress } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import { DEVELOPMENT_ALGOD } from '@avm402/algorand/networks';
import type { DevControls } from './dev/dev-controls.ts';
import { controlRoutes } from './dev/control-routes.ts';
import { localControls } from './dev/control-table.ts';
import { eventRoutes } from './dev/event-stream.ts';
import { startCompanions, type Companions, type CompanionOptions } from './companions.ts';
import type { DataDirectory } from './durable/data-directory.ts';
import { DevelopmentNode, type ChainOptions, type NodeOptions } from './development-node.ts';
import { DevnodeError } from './errors.ts';
import { developmentAccounts, type DevelopmentAccounts } from './genesis/development-accounts.ts';
import { readConfig } from './config.ts';
import { DEFAULT_KMD_CONFIG } from './kmd/kmd-config.ts';
import { DEFAULT_CONFIG, type AlgodConfig } from './rest/algod-config.ts';
import { createAuthentication } from './rest/authentication.ts';
import { BodyBudget } from './rest/request-body.ts';
import { RequestMetrics } from './rest/request-metrics.ts';
import { createRestHandler } from './rest/rest-handler.ts';
import { startRestServer, type RestServer } from './rest/rest-server.ts';
import { routeTable } from './rest/route-table.ts';
import { createRouter } from './rest/router.ts';
import { swaggerRoutes } from './rest/routes/swagger.ts';

/** Where AlgoKit LocalNet's algod listens; its token is in `DEVELOPMENT_ALGOD`. */
const DEFAULT_PORT = 4001;
const DEFAULT_HOST = '127.0.0.1';

/** The memory that all request bodies together may hold, in bytes. */
const MAX_BODIES_BYTES = 256_000_000;
const WAIT_FOR_BLOCK_MS = 60_000;
// Differs from algod: any-token
const TOKEN = /^[!-~]{1,256}$/;

/** Where a node listens, who may call it, and which chain it runs. */
export interface DevnodeOptions extends ChainOptions {
  /** Default 4001; 0: any free port. */
  readonly port?: number;
  /** The port of KMD; its default wallet holds the keys of the named accounts. Absent: no KMD. 0: any free port. */
  readonly kmdPort?: number;
  /** The port of an indexer of the node's chain. Absent: no indexer. 0: any free port. */
  readonly indexerPort?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** API token; default 64 × `a`. */
  readonly token?: string;
  /** Token of the admin routes; it opens all other routes as well. Default: the API token. */
  readonly adminToken?: string;
  /** False: public routes need no token. Default true. */
  readonly auth?: boolean;
  /**
   * A directory in which the node is kept. The node continues where the last one there stopped, even if that one was
   * killed. Nothing is answered before it is on the disk. Default: the node is in memory only.
   */
  readonly data?: string;
  /** Keys of algod's config.json; those that this node does not know are listed in `ignoredConfig`. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Keys of kmd_config.json, for the KMD of `kmdPort`; those that it does not know are listed in `ignoredConfig`. */
  readonly kmdConfig?: Readonly<Record<string, unknown>>;
  /** The longest that `wait-for-block-after` waits, in ms. Default 60,000. */
  readonly waitForBlockMs?: number;
  /** Called with what was repaired or left undone when the node started. Default: prints it to stderr. */
  readonly onNotice?: (text: string) => void;
}

/** An account's balances. */
export interface AccountBalance {
  readonly microAlgos: bigint;
  /** Units by asset id. */
  readonly assets: ReadonlyMap<bigint, bigint>;
}

/** A running node, with its developer controls. */
export interface Devnode extends DevControls {
  /** Origin of the REST interface. */
  readonly url: string;
  /** Port of the REST interface. */
  readonly port: number;
  /** Origin of KMD, if it was asked for. It takes the API token. */
  readonly kmdUrl: string | undefined;
  /** Origin of the indexer, if it was asked for. It takes any token. */
  readonly indexerUrl: string | undefined;
  readonly token: string;
  readonly adminToken: string;
  readonly genesisId: string;
  /** Standard base64 of 32 bytes. */
  readonly genesisHash: string;
  readonly latestRound: bigint;
  /** Named, funded accounts with public development keys; they are not on the chain of your own `genesis`. */
  readonly accounts: DevelopmentAccounts;
  /** Whether `accounts` are on the chain. */
  readonly hasNamedAccounts: boolean;
  /** The given configuration keys that this node does not know. */
  readonly ignoredConfig: readonly string[];
  /** An account's balances now; zero for an account that was never used. */
  balance(address: string): AccountBalance;
  /** Stops listening and producing blocks, within about half a second. Later calls wait for the same end. */
  stop(): Promise<void>;
}

/**
 * Boots a node and serves algod's REST interface; also KMD and an indexer, if they are asked for.
 * @throws DevnodeError `port_taken`, `invalid_options`, `invalid_genesis`, `invalid_state_file`, `damaged_state_file`,
 * `directory_in_use`, `invalid_accounts_file`
 * @example
 * ```ts
 * import { startDevnode } from '@avm402/devnode';
 *
 * const node = await startDevnode({ port: 0, blocks: { everyMs: 2800 } });
 * const { payer, merchant } = node.accounts;
 * await node.fund(merchant.address, 1_000_000n);
 * console.log(node.url, node.token, payer.mnemonic, node.balance(merchant.address).microAlgos);
 * await node.stop();
 * ```
 */
export async function startDevnode(options: DevnodeOptions = {}): Promise<Devnode> {
  const { config, ignored } = readConfig(DEFAULT_CONFIG, options.config ?? {}, 'configuration key');
  const kmd = readConfig(DEFAULT_KMD_CONFIG, options.kmdConfig ?? {}, 'KMD’s configuration key');
  const token = requireToken(options.token ?? DEVELOPMENT_ALGOD.token);
  const tokens = { token, adminToken: requireToken(options.adminToken ?? token) };
  const onInternalError = options.onInternalError ?? ((error: unknown) => console.error('internal error:', error));
  const { host = DEFAULT_HOST, kmdPort, indexerPort } = options;
  const shared = { host, kmdPort, indexerPort, kmdConfig: kmd.config, ...tokens, onInternalError };
  const serving = { ...shared, options, config };
  const data = await openData(options);
  let node: DevelopmentNode | undefined;
  try {
    node = new DevelopmentNode(nodeOptions(serving, data));
    const servers = await serveAll(node, serving);
    return devnode(node, { ...servers, data }, { ...tokens, ignoredConfig: [...ignored, ...kmd.ignored] });
  } catch (error) {
    node?.close();
    await data?.close();
    throw error;
  }
}

async function openData({
  data: path,
  state,
  accountsFile,
  onNotice,
}: DevnodeOptions): Promise<DataDirectory | undefined> {
  if (path === undefined) return undefined;
  const notice = onNotice ?? ((text: string) => console.error(`avm402-devnode: ${text}`));
  const { DataDirectory } = await import('./durable/data-directory.ts');
  const data = await DataDirectory.open(path, notice);
  if (data.holdsChain && state !== undefined) notice(`${path} holds a chain already: the state file is not loaded`);
  if (data.holdsChain && accountsFile !== undefined) notice(`${path} holds a chain already: no accounts are imported`);
  return data;
}

interface Servers {
  readonly algod: RestServer;
  readonly companions: Companions;
}

interface Running extends Servers {
  readonly data: DataDirectory | undefined;
}

async function serveAll(node: DevelopmentNode, serving: Serving): Promise<Servers> {
  const algod = await serve(node, serving);
  try {
    return { algod, companions: await startCompanions(node, serving) };
  } catch (error) {
    await algod.close();
    throw error;
  }
}

interface Tokens {
  readonly token: string;
  readonly adminToken: string;
}

interface Serving extends CompanionOptions, Tokens {
  readonly options: DevnodeOptions;
  readonly config: AlgodConfig;
}

function nodeOptions(
  { options: { data: _path, ...chain }, config, onInternalError }: Serving,
  data: DataDirectory | undefined,
): NodeOptions {
  return {
    ...chain,
    ...(data && { data }),
    onInternalError,
    developerApi: config.EnableDeveloperAPI,
    maxAcctLookback: config.MaxAcctLookback,
    blockLookback: config.Archival ? Infinity : config.MaxBlockHistoryLookback,
    txPoolSize: config.TxPoolSize,
    backlogSize: config.TxBacklogSize,
  };
}

function serve(node: DevelopmentNode, serving: Serving): Promise<RestServer> {
  const { host, options, config, onInternalError } = serving;
  const metrics = new RequestMetrics();
  const algodRoutes = routeTable(node, { config, metrics, waitTimeoutMs: options.waitForBlockMs ?? WAIT_FOR_BLOCK_MS });
  const routes = [...node.faults.cover(algodRoutes), ...controlRoutes(node), ...eventRoutes(node)];
  const handler = createRestHandler({
    router: createRouter([...routes, ...swaggerRoutes(routes)]),
    authenticate: createAuthentication({ ...serving, auth: options.auth ?? !config.DisableAPIAuth }),
    bodies: new BodyBudget(MAX_BODIES_BYTES),
    host,
    privateNetwork: config.EnablePrivateNetworkAccessHeader,
    tokenHeader: 'X-Algo-API-Token',
    kept: () => node.kept(),
    onAnswer: (answered) => metrics.count(answered),
    onInternalError,
  });
  return startRestServer({
    host,
    port: options.port ?? DEFAULT_PORT,
    portFlag: '--port',
    handler,
    maxRequests: config.RestConnectionsSoftLimit,
    maxSockets: config.RestConnectionsHardLimit,
    readTimeoutMs: config.RestReadTimeoutSeconds * 1000,
  });
}

function devnode(
  node: DevelopmentNode,
  running: Running,
  known: Tokens & { readonly ignoredConfig: readonly string[] },
): Devnode {
  const { algod, companions } = running;
  let stopped: Promise<void> | undefined;
  return {
    ...known,
    ...localControls(node),
    url: algod.url,
    port: Number(new URL(algod.url).port),
    kmdUrl: companions.kmdUrl,
    indexerUrl: companions.indexerUrl,
    hasNamedAccounts: node.hasNamedAccounts,
    genesisId: node.queries.genesisId,
    genesisHash: encodeBase64(node.queries.genesisHash),
    accounts: developmentAccounts(),
    get latestRound() {
      return node.queries.latestRound;
    },
    balance(address) {
      const { account, holdings } = node.queries.account(parseAddress(address));
      return { microAlgos: account.microAlgos, assets: new Map(holdings.map(([id, { amount }]) => [id, amount])) };
    },
    stop: () => (stopped ??= stop(node, running)),
  };
}

async function stop(node: DevelopmentNode, { algod, companions, data }: Running): Promise<void> {
  node.close();
  await Promise.all([algod.close(), companions.close()]);
  await data?.close();
}

function requireToken(token: string): string {
  if (TOKEN.test(token)) return token;
  throw new DevnodeError('invalid_options', 'a token must be 1 to 256 printable ASCII characters without spaces');
}
