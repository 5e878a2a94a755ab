import { X402Error } from '@avm402/core/errors';
import type { StockClient } from '@avm402/client';

/** The payer of commands that pay nothing and need no account. */
export const NOBODY: StockClient = {
  createPaymentPayload: () => Promise.reject(new X402Error('environment_invalid', { message: 'nobody pays here' })),
};
