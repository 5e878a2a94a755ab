import * as z from 'zod/mini';
import { anyNetwork, list, openObject, optional, orDefault, someText, text, x402Version } from './message-parser.ts';

const supportedKind = z.looseObject({
  x402Version,
  scheme: someText(64),
  network: anyNetwork,
  extra: optional(openObject),
});

export const sponsoredOffers = z.looseObject({
  payTo: list(text(128), 1024),
  assets: list(text(32), 1024),
  minAmount: z.string().check(z.regex(/^\d{1,20}$/)),
});

export const supportedResponse = z.looseObject({
  kinds: list(supportedKind, 1024),
  extensions: orDefault(list(text(256), 256), []),
  signers: orDefault(z.record(text(256), list(text(256), 1024)), {}),
});
