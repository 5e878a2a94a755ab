import { X402Error } from '@avm402/core/errors';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { ExactPayment } from './group-shape.ts';

/** The asset that is asked for is the one transferred. Throws X402Error `invalid_exact_avm_asset_mismatch`. */
export function checkAsset({ transferTransaction }: ExactPayment, { asset }: PaymentRequirements): void {
  if (String(transferTransaction.assetId) === asset) return;
  throw new X402Error('invalid_exact_avm_asset_mismatch', {
    message: `asset ${asset} is asked for, asset ${transferTransaction.assetId} is transferred`,
  });
}
