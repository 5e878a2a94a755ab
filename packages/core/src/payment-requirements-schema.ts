import * as z from 'zod';
import { network, openObject } from './message-parser.ts';

export const paymentRequirements = z.looseObject({
  scheme: z.string().min(1).max(64),
  network,
  asset: z.string().min(1).max(1024),
  amount: z.string().regex(/^(?:0|[1-9]\d{0,77})$/, 'not an atomic amount'),
  payTo: z.string().min(1).max(1024),
  maxTimeoutSeconds: z.number().positive().max(31_536_000),
  extra: z.preprocess((value) => value ?? {}, openObject),
});
