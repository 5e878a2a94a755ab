import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { createAlgodClient } from '@avm402/algorand/algod';
import { DEVELOPMENT_ALGOD, LOCALNET, MAINNET, TESTNET } from '@avm402/algorand/networks';
import { algorandNetwork, canonicalNetwork } from '@avm402/core/network';
import type { PageFile, PayingPage } from '@avm402/server';
import { type PageNetwork, type PageSettings, SANDBOX } from './page-facts.ts';

export interface PayingPageOptions {
  /**
   * The algod that pages ask, for each network: CAIP-2 ids in any spelling. Everyone who reads a page sees the token.
   * Default: Nodely's public ones for MainNet and TestNet, the development node on port 4001 of the reader's machine.
   */
  readonly networks?: Readonly<Record<string, { readonly url: string; readonly token?: string }>>;
}

const FILES = new URL('../dist/files/', import.meta.url);
const TYPES = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
};

/** Sources for the wallets' libraries, which reach a phone through their makers' servers and draw embedded pictures. */
const WALLET_SOURCES = [
  'data:',
  'https://wc.perawallet.app',
  'wss://*.perawallet.app',
  'https://static.defly.app',
  'wss://*.defly.app',
  'wss://*.walletconnect.org',
];

const KNOWN = [MAINNET, TESTNET, LOCALNET];
const ALGODS: Readonly<Record<string, { readonly url: string; readonly token?: string }>> = {
  [algorandNetwork(MAINNET.genesisHash)]: { url: 'https://mainnet-api.4160.nodely.dev' },
  [algorandNetwork(TESTNET.genesisHash)]: { url: 'https://testnet-api.4160.nodely.dev' },
  [algorandNetwork(LOCALNET.genesisHash)]: DEVELOPMENT_ALGOD,
};

/**
 * What lets people pay on the page that a browser gets with a 402, with Pera, Defly, Lute or Kibisis; on the embedded
 * node also with its accounts. A seller serves everything that the page loads.
 *
 * @throws X402Error `invalid_network`; AlgorandError `invalid_algod_options`
 * @example
 * ```ts
 * import { payingPage } from '@avm402/paying-page';
 * import { createSeller } from '@avm402/server';
 *
 * const seller = createSeller({ facilitator: 'http://127.0.0.1:4022', page: payingPage() });
 * ```
 */
export function payingPage({ networks: given = {} }: PayingPageOptions = {}): PayingPage {
  const algods = { ...ALGODS, ...algodsOf(given) };
  const files = new Map(
    readdirSync(FILES)
      .filter(isServed)
      .map((name) => [name, readFile(name)]),
  );
  const entries = JSON.parse(readFileSync(new URL('entries.json', FILES), 'utf8')) as Readonly<Record<string, string>>;
  const entry = (source: string): string => entries[source] ?? '';
  return {
    files,
    entry: entry('main.ts'),
    style: readFileSync(new URL(entry('page.css'), FILES), 'utf8'),
    on: (offered) => {
      const networks = Object.fromEntries(
        [...new Set(offered)].flatMap((id) => {
          const algod = algods[id];
          return algod ? [[id, pageNetwork(id, algod)]] : [];
        }),
      );
      const settings: PageSettings = { networks, frame: entry('content.html') };
      const algodOrigins = Object.values(networks).map(({ algod }) => new URL(algod.url).origin);
      return { settings, connect: [...algodOrigins, ...WALLET_SOURCES] };
    },
  };
}

function pageNetwork(id: string, algod: PageNetwork['algod']): PageNetwork {
  const known = KNOWN.find(({ genesisHash }) => algorandNetwork(genesisHash) === id);
  const { name = id, genesisId, genesisHash } = known ?? {};
  return {
    name,
    ...(genesisId !== undefined && { genesisId }),
    ...(genesisHash !== undefined && { genesisHash }),
    algod,
    hasDevelopmentAccounts: known === LOCALNET,
  };
}

/** The given algods, by the canonical ids of their networks. */
function algodsOf(networks: typeof ALGODS): typeof ALGODS {
  return Object.fromEntries(
    Object.entries(networks).map(([id, access]) => {
      createAlgodClient(access); // refuses a URL or a token that no page could use
      return [canonicalNetwork(id), access];
    }),
  );
}

function isServed(name: string): boolean {
  return !name.endsWith('.json');
}

function readFile(name: string): PageFile {
  const body = readFileSync(new URL(name, FILES));
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1) as keyof typeof TYPES];
  let zipped: Uint8Array | undefined;
  return {
    type,
    body,
    // Content that the page shows never has the seller's own origin, whoever opens it.
    ...(name.endsWith('.html') && { policy: `sandbox ${SANDBOX}` }),
    get zipped() {
      return (zipped ??= gzipSync(body));
    },
  };
}
