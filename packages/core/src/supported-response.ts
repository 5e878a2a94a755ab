import { messageParser } from './message-parser.ts';
import type { Network } from './network.ts';
import { sponsoredOffers, supportedResponse } from './supported-response-schema.ts';

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
}

/** The header of `/supported` in which a facilitator tells the id of its store, which its replicas share. */
export const STORE_ID_HEADER = 'x402-store-id';

/** @throws X402Error `invalid_supported_response` */
export const parseSupportedResponse = messageParser<SupportedResponse>('invalid_supported_response', supportedResponse);

/**
 * Which offers that name the fee payer are sponsored, where a kind tells. `extra` is open: what is there in another shape is
 * another maker's, and tells nothing.
 */
export function sponsoredOffersOf({ extra }: Pick<SupportedKind, 'extra'>): SponsoredOffers | undefined {
  const result = sponsoredOffers.safeParse(extra?.['sponsored']);
  return result.success ? result.data : undefined;
}
