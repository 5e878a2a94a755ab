import * as z from 'zod';
import { anyNetwork, messageParser, openObject, optional, x402Version } from './message-parser.ts';
import type { Network } from './network.ts';

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

const supportedKind = z.looseObject({
  x402Version,
  scheme: z.string().min(1).max(64),
  network: anyNetwork,
  extra: optional(openObject),
});

const supportedResponse = z.looseObject({
  kinds: z.array(supportedKind).max(1024),
  extensions: z.preprocess((value) => value ?? [], z.array(z.string().max(256)).max(256)),
  signers: z.preprocess((value) => value ?? {}, z.record(z.string().max(256), z.array(z.string().max(256)).max(1024))),
});

/** Errors: `invalid_supported_response`. */
export const parseSupportedResponse = messageParser<SupportedResponse>('invalid_supported_response', supportedResponse);
