import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';

/** No clawback: it would take the asset from someone who did not sign. Throws X402Error `invalid_exact_avm_asset_sender`. */
export function checkAssetSender({ transferTransaction }: ExactPayment): void {
  if (transferTransaction.assetSender === undefined) return;
  throw new X402Error('invalid_exact_avm_asset_sender', {
    message: 'the payment must not be a clawback (asset sender, asnd)',
  });
}
