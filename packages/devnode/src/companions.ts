import { decodeBase64 } from '@avm402/algorand/base64';
import { developmentAccounts } from './genesis/development-accounts.ts';
import type { RestServer } from './rest/rest-server.ts';

/** The servers that an AlgoKit LocalNet has beside algod. */
export interface Companions {
  readonly kmdUrl: string | undefined;
  close(): Promise<void>;
}

export interface CompanionOptions {
  readonly host: string;
  readonly token: string;
  /** Absent: there is no KMD. 0: any free port. */
  readonly kmdPort?: number;
  /** Whether the named accounts are on the chain, so that the default wallet holds their keys. */
  readonly namedAccounts: boolean;
  readonly onInternalError: (error: unknown) => void;
}

/**
 * Starts those that are asked for.
 * @throws DevnodeError `port_taken`, `invalid_options`
 */
export async function startCompanions(options: CompanionOptions): Promise<Companions> {
  const kmd = await startKmdOf(options);
  return {
    kmdUrl: kmd?.url,
    close: async () => kmd?.close(),
  };
}

async function startKmdOf({ kmdPort, namedAccounts, ...shared }: CompanionOptions): Promise<RestServer | undefined> {
  if (kmdPort === undefined) return undefined;
  // Loaded only when asked for: most nodes run without.
  const { startKmd } = await import('./kmd/start-kmd.ts');
  return startKmd({ ...shared, port: kmdPort, defaultWallet: namedAccounts ? developmentKeys() : [] });
}

function developmentKeys(): Uint8Array[] {
  return Object.values(developmentAccounts()).flatMap(({ privateKey }) => decodeBase64(privateKey) ?? []);
}
