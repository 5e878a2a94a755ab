import { z } from 'zod';
import { messageParser, network, openObject } from './message-parser.ts';
import type { Network } from './network.ts';

/** One way to pay (x402 v2 §5.1.2). Unknown members are preserved. */
export interface PaymentRequirements {
  scheme: string;
  network: Network;
  asset: string;
  /** Atomic units of the asset, decimal digits. */
  amount: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: Record<string, unknown>;
}

export const paymentRequirements = z.looseObject({
  scheme: z.string().min(1).max(64),
  network,
  asset: z.string().min(1).max(256),
  amount: z.string().regex(/^(?:0|[1-9]\d{0,77})$/, 'not an atomic amount'),
  payTo: z.string().min(1).max(256),
  maxTimeoutSeconds: z.number().positive().max(31_536_000),
  extra: z.preprocess((value) => value ?? {}, openObject),
});

/** Errors: `invalid_payment_requirements`. */
export const parsePaymentRequirements: (input: unknown) => PaymentRequirements = messageParser(
  'invalid_payment_requirements',
  paymentRequirements,
);
