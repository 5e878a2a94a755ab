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

/** The offers whose fee a facilitator pays on a network: to one of these receivers, in one of these assets, from an amount up. */
export interface SponsoredOffers {
  payTo: string[];
  /** Asset ids, in decimal. */
  assets: string[];
  /** Atomic units. */
  minAmount: string;
}

/** What a facilitator serves (x402 v2 §7.3). Unknown members are preserved. */
export interface SupportedResponse {
  kinds: SupportedKind[];
  extensions: string[];
  /** CAIP-2 pattern → addresses that the facilitator signs with. */
  signers: Record<string, string[]>;
  /** By canonical network, where not every offer that names the fee payer is sponsored. Servers of other makers don't read it. */
  sponsored?: Record<string, SponsoredOffers>;
}

/** The header of `/supported` in which a facilitator tells the id of its store, which its replicas share. */
export const STORE_ID_HEADER = 'x402-store-id';

/** @throws X402Error `invalid_supported_response` */
export const parseSupportedResponse = messageParser<SupportedResponse>('invalid_supported_response', supportedResponse);
