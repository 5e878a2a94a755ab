import { messageParser } from './message-parser.ts';
import type { Network } from './network.ts';
import { supportedResponse } from './supported-response-schema.ts';

/** One scheme on one network that a facilitator serves. */
export interface SupportedKind {
  x402Version: number;
  scheme: string;
  network: Network;
  extra?: Record<string, unknown>;
}

/** What a facilitator serves (x402 v2 §7.3). Unknown members are preserved. */
export interface SupportedResponse {
  kinds: SupportedKind[];
  extensions: string[];
  /** CAIP-2 pattern → addresses that the facilitator signs with. */
  signers: Record<string, string[]>;
}

/** The header of `/supported` in which a facilitator tells the id of its store, which its replicas share. */
export const STORE_ID_HEADER = 'x402-store-id';

/** Errors: `invalid_supported_response`. */
export const parseSupportedResponse = messageParser<SupportedResponse>('invalid_supported_response', supportedResponse);
