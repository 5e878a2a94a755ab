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

/**
 * The offers whose fee a facilitator pays on a network: those that pay one of these receivers, in one of these assets,
 * at least the minimum amount.
 */
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

/**
 * The header of `/supported` that carries the id of the facilitator's store. Replicas share one store, so they share
 * the id.
 */
export const STORE_ID_HEADER = 'x402-store-id';

/** @throws X402Error `invalid_supported_response` */
export const parseSupportedResponse = messageParser<SupportedResponse>('invalid_supported_response', supportedResponse);

/**
 * The offers that a kind's fee payer sponsors, if the kind says. `extra` is open: a member of another shape comes from
 * another implementation and says nothing.
 */
export function sponsoredOffersOf({ extra }: Pick<SupportedKind, 'extra'>): SponsoredOffers | undefined {
  const result = sponsoredOffers.safeParse(extra?.['sponsored']);
  return result.success ? result.data : undefined;
}
