import { randomBytes } from 'node:crypto';
import type { Markable } from '../ledger/mark.ts';
import { BodyBudget } from '../rest/request-body.ts';
import { COMPANION_LIMITS, startRestServer, type RestServer } from '../rest/rest-server.ts';
import { bytes32 } from '../codec/bytes.ts';
import { Handles } from './handles.ts';
import type { KmdConfig } from './kmd-config.ts';
import { createKmdHandler } from './kmd-handler.ts';
import { kmdRoutes } from './routes.ts';
import { Wallets, type Random } from './wallets.ts';

/** The only wallet of an AlgoKit LocalNet. */
const DEFAULT_WALLET = { name: 'unencrypted-default-wallet', password: '', driver: 'sqlite' };
const MAX_BODIES_BYTES = 32_000_000;

export interface KmdOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly token: string;
  readonly config: KmdConfig;
  /** Private keys or seeds in the default wallet. Absent: no default wallet. */
  readonly defaultWallet?: readonly Uint8Array[];
  /** Called with the wallets, so that they can be restored together with the chain. */
  readonly remember?: (wallets: Markable) => void;
  /** A monotonic clock in ms. Default `performance.now`. */
  readonly now?: () => number;
  /** Default: a cryptographically strong generator. */
  readonly random?: Random;
  readonly onInternalError: (error: unknown) => void;
}

/**
 * Serves KMD, LocalNet's key management daemon: keeps wallets in memory and signs with their keys.
 * @throws DevnodeError `port_taken`, `invalid_options`
 */
export function startKmd(options: KmdOptions): Promise<RestServer> {
  const { host, port, token, config, defaultWallet, onInternalError } = options;
  const { now = () => performance.now(), random = randomBytes, remember = () => {} } = options;
  const wallets = new Wallets(random);
  if (defaultWallet !== undefined) {
    const wallet = wallets.create({ ...DEFAULT_WALLET, masterDerivationKey: bytes32.zero });
    for (const key of defaultWallet) wallet.importKey(key);
  }
  remember(wallets);
  const lifetimeMs = config.session_lifetime_secs * 1000;
  const routes = kmdRoutes(wallets, new Handles({ wallets, lifetimeMs, now, random }));
  return startRestServer({
    host,
    port,
    portFlag: '--kmd-port',
    handler: createKmdHandler({ routes, token, config, bodies: new BodyBudget(MAX_BODIES_BYTES), onInternalError }),
    ...COMPANION_LIMITS,
  });
}
