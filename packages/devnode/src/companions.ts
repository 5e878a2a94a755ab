import { decodeBase64 } from '@avm402/algorand/base64';
import type { DevelopmentNode } from './development-node.ts';
import { developmentAccounts } from './genesis/development-accounts.ts';
import type { KmdConfig } from './kmd/kmd-config.ts';
import type { Markable } from './ledger/mark.ts';
import type { RestServer } from './rest/rest-server.ts';

/** The servers that AlgoKit LocalNet runs beside algod. */
export interface Companions {
  readonly kmdUrl: string | undefined;
  readonly indexerUrl: string | undefined;
  close(): Promise<void>;
}

export interface CompanionOptions {
  readonly host: string;
  readonly token: string;
  /** Absent: no KMD. 0: any free port. */
  readonly kmdPort: number | undefined;
  readonly kmdConfig: KmdConfig;
  /** Absent: no indexer. 0: any free port. */
  readonly indexerPort: number | undefined;
  readonly onInternalError: (error: unknown) => void;
}

/**
 * Starts the companions that are asked for.
 * @throws DevnodeError `port_taken`, `invalid_options`
 */
export async function startCompanions(node: DevelopmentNode, options: CompanionOptions): Promise<Companions> {
  const kmd = await startKmdOf(node, options);
  try {
    const indexer = await startIndexerOf(node, options);
    return {
      kmdUrl: kmd?.url,
      indexerUrl: indexer?.url,
      close: async () => void (await Promise.all([kmd?.close(), indexer?.close()])),
    };
  } catch (error) {
    await kmd?.close();
    throw error;
  }
}

// Both are loaded only when asked for, because most nodes run without them.

async function startKmdOf(node: DevelopmentNode, options: CompanionOptions): Promise<RestServer | undefined> {
  const { kmdPort: port, host, token, kmdConfig: config, onInternalError } = options;
  if (port === undefined) return undefined;
  const { startKmd } = await import('./kmd/start-kmd.ts');
  const defaultWallet = node.hasNamedAccounts ? developmentKeys() : [];
  const remember = (wallets: Markable): void => node.controls.remember(wallets);
  return startKmd({ host, token, config, port, defaultWallet, remember, onInternalError });
}

async function startIndexerOf(node: DevelopmentNode, options: CompanionOptions): Promise<RestServer | undefined> {
  const { indexerPort: port, host, onInternalError } = options;
  if (port === undefined) return undefined;
  const { startIndexer } = await import('./indexer/start-indexer.ts');
  return startIndexer({ host, port, node, onInternalError });
}

function developmentKeys(): Uint8Array[] {
  return Object.values(developmentAccounts()).flatMap(({ privateKey }) => decodeBase64(privateKey) ?? []);
}
