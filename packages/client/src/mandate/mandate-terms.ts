import { decodeBase64 } from '@avm402/algorand/base64';
import { networkOfGenesis, networksEqual } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { amountInWords } from '../budget/cost.ts';
import type { Refusal } from '../budget/spend-policy.ts';
import type { Mandate } from './mandate.ts';

/**
 * The reason why a mandate never pays an offer; undefined if it may. Its program decides: this only spares an attempt.
 */
export function whyNotByMandate({ config, receivers }: Mandate, offer: PaymentRequirements): Refusal | undefined {
  const { network, asset, amount, payTo } = offer;
  const own = networkOfGenesis(decodeBase64(config.genesisHash) ?? new Uint8Array());
  if (!networksEqual(own, network)) return { kind: 'policy', reason: `the mandate pays on ${own}` };
  if (asset !== config.asset) return { kind: 'policy', reason: `the mandate pays asset ${config.asset}` };
  if (receivers && !receivers.includes(payTo)) {
    return { kind: 'policy', reason: `${payTo} is not among the mandate's receivers` };
  }
  if (BigInt(amount) <= BigInt(config.cap)) return undefined;
  const [price, most] = [BigInt(amount), BigInt(config.cap)].map((of) => amountInWords({ network, asset, amount: of }));
  return { kind: 'limit', reason: `${price} is above the ${most} that the mandate allows a payment` };
}
