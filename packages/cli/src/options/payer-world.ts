import type { StockClient } from '@avm402/client';
import { X402Error } from '@avm402/core/errors';
import { networksOf } from './environment.ts';
import type { Terminal } from '../command/terminal.ts';

/** The parts of the world that a payer needs. */
export function payerWorld({ environment, fetch, random, now }: Terminal) {
  return { networks: networksOf(environment), fetch, random, now };
}

/** Stands in for an account in commands that pay nothing. */
export const NO_PAYER: StockClient = {
  createPaymentPayload: () => Promise.reject(new X402Error('environment_invalid', { message: 'no account pays here' })),
};

/** How long a command waits at its end for the node's answers about earlier payments, ms. */
export const GRACE_MS = 1_000;
