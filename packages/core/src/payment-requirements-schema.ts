import * as z from 'zod/mini';
import { network, openObject, orDefault, someText } from './message-parser.ts';

export const paymentRequirements = z.looseObject({
  scheme: someText(64),
  network,
  asset: someText(1024),
  amount: z.string().check(z.regex(/^(?:0|[1-9]\d{0,77})$/, 'not an atomic amount')),
  payTo: someText(1024),
  maxTimeoutSeconds: z.number().check(z.positive(), z.lte(31_536_000)),
  extra: orDefault(openObject, {}),
});
