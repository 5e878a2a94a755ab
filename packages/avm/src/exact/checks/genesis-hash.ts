import { encodeBase64 } from '@avm402/algorand/base64';
import { X402Error } from '@avm402/core/errors';
import { algorandNetworkLong, networksEqual } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { PaymentGroup } from '../payment.ts';

/** Every transaction belongs to the network that is asked for. Throws X402Error `invalid_exact_avm_genesis_hash_mismatch`. */
export function checkGenesisHash({ members }: PaymentGroup, { network }: PaymentRequirements): void {
  let right: string | undefined;
  for (const [index, { signed }] of members.entries()) {
    const hash = encodeBase64(signed.txn.genesisHash);
    if (hash === right || networksEqual(algorandNetworkLong(hash), network)) {
      right = hash;
      continue;
    }
    throw new X402Error('invalid_exact_avm_genesis_hash_mismatch', {
      message: `transaction ${index} is of the network with genesis hash ${hash}, not of ${network}`,
    });
  }
}
