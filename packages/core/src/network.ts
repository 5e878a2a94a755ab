import { encodeBase64 } from './base64.ts';
import { X402Error } from './errors.ts';
import { quoted } from './quoted.ts';

/** A CAIP-2 network id. */
export type Network = `${string}:${string}`;

/** MainNet and TestNet in the canonical short form. */
export const ALGORAND_MAINNET: Network = 'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k';
export const ALGORAND_TESTNET: Network = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe';

const NAMESPACE = /^[-a-z0-9]{3,8}$/;
/** The alphabet and length of a CAIP-2 reference. */
const REFERENCE = /^[-_a-zA-Z0-9]{1,32}$/;
/** An Algorand reference: 32 or all 44 characters of the genesis hash, in standard or url-safe base64. */
const ALGORAND_REFERENCE = /^[-_+/a-zA-Z0-9]{32}(?:[-_+/a-zA-Z0-9]{11}=)?$/;
const ALGORAND = 'algorand';
const PREFIX = `${ALGORAND}:` as const;
const SHORT = 32;

/**
 * Reads a network id. An Algorand id may use any spelling found in practice: the first 32 characters of the genesis
 * hash or all 44, in standard or url-safe base64.
 * @throws X402Error `invalid_network`
 */
export function parseNetwork(text: string): Network {
  if (isNetwork(text)) return text;
  throw new X402Error('invalid_network', { message: `not a CAIP-2 network id: ${quoted(text)}` });
}

/** Whether a text is a CAIP-2 network id in an accepted spelling. */
export function isNetwork(text: string): text is Network {
  const colon = text.indexOf(':');
  if (colon < 0) return false;
  const namespace = text.slice(0, colon);
  return (
    NAMESPACE.test(namespace) && (namespace === ALGORAND ? ALGORAND_REFERENCE : REFERENCE).test(text.slice(colon + 1))
  );
}

/**
 * The canonical id of the Algorand network with this genesis hash (base64 of 32 bytes): its first 32 characters,
 * url-safe.
 */
export function algorandNetwork(genesisHash: string): Network {
  return canonicalNetwork(algorandNetworkLong(genesisHash));
}

/** The long spelling with all 44 characters, the only one that some SDKs know. */
export function algorandNetworkLong(genesisHash: string): Network {
  if (genesisHash.length === SHORT) {
    throw new X402Error('invalid_network', { message: 'a genesis hash has 44 base64 characters' });
  }
  return parseNetwork(`${PREFIX}${genesisHash}`);
}

/** The long spelling of the network with this genesis hash (32 bytes). */
export function networkOfGenesis(genesisHash: Uint8Array): Network {
  return algorandNetworkLong(encodeBase64(genesisHash));
}

/** Whether the id names an Algorand network, in any accepted spelling. */
export function isAlgorandNetwork(network: string): boolean {
  return network.startsWith(PREFIX) && ALGORAND_REFERENCE.test(network.slice(PREFIX.length));
}

/**
 * The one spelling by which networks are compared: for Algorand the short url-safe form, else the id itself.
 * @throws X402Error `invalid_network`
 */
export function canonicalNetwork(network: string): Network {
  return canonicalSpelling(parseNetwork(network));
}

function canonicalSpelling(network: Network): Network {
  if (!network.startsWith(PREFIX)) return network;
  return `${PREFIX}${urlSafe(network.slice(PREFIX.length, PREFIX.length + SHORT))}`;
}

/**
 * Whether two ids mean one network. Two long spellings must agree in all 44 characters. A text that is not a CAIP-2 id
 * equals itself alone.
 */
export function networksEqual(first: string, second: string): boolean {
  if (first === second) return true;
  if (!isNetwork(first) || !isNetwork(second)) return false;
  if (canonicalSpelling(first) !== canonicalSpelling(second)) return false;
  return first.length !== second.length || urlSafe(first) === urlSafe(second);
}

/**
 * Whether a network is the pattern's network, or of its namespace (`algorand:*`). Any text may be asked for.
 * @throws X402Error `invalid_network` for a pattern that is neither
 */
export function networkMatches(pattern: string, network: string): boolean {
  if (pattern.endsWith(':*') && NAMESPACE.test(pattern.slice(0, -2))) {
    return isNetwork(network) && network.startsWith(pattern.slice(0, -1));
  }
  return networksEqual(parseNetwork(pattern), network);
}

function urlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}
