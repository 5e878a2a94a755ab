import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';

/** The payment closes nothing out: it would give away more than its price. Throws X402Error `invalid_exact_avm_asset_close`. */
export function checkAssetClose({ transferTransaction }: ExactPayment): void {
  if (transferTransaction.assetCloseTo === undefined) return;
  throw new X402Error('invalid_exact_avm_asset_close', {
    message: 'the payment must not close out the asset (asset close to, aclose)',
  });
}
