import { encodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@avm402/core/headers';
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { routeError } from '../routes/route-error.ts';

/** Bytes that proxies usually accept for one header line. */
const HEADER_BUDGET_BYTES = 8192;
/** Characters of a payment group with a fee payer, in base64, with the JSON around it. */
const GROUP_LENGTH = 900;

/**
 * Checks that an offer fits into a header. If it doesn't, the resource can't be paid, and nothing says why: proxies and
 * clients cut the connection. Runs at start, with the offer itself and with the payment that echoes it.
 * @throws X402Error `header_budget_exceeded`, which names the largest part
 */
export function checkHeaderBudget(route: string, required: PaymentRequired): void {
  const offer = encodePaymentRequiredHeader(required).length;
  const largest = Math.max(...required.accepts.map((accepted) => paymentLength(required, accepted)));
  if (offer <= HEADER_BUDGET_BYTES && largest <= HEADER_BUDGET_BYTES) return;
  const [header, length] = offer > HEADER_BUDGET_BYTES ? ['PAYMENT-REQUIRED', offer] : ['PAYMENT-SIGNATURE', largest];
  const why = `${header} would take ${length} bytes, more than ${HEADER_BUDGET_BYTES}; the largest part is ${culprit(required)}`;
  throw routeError('header_budget_exceeded', route, why, { details: { bytes: length } });
}

function paymentLength({ x402Version, resource, extensions }: PaymentRequired, accepted: PaymentRequirements): number {
  const payload = { paymentGroup: ['x'.repeat(GROUP_LENGTH)], paymentIndex: 1 };
  return encodePaymentSignatureHeader({ x402Version, resource, accepted, payload, ...(extensions && { extensions }) })
    .length;
}

function culprit({ resource, accepts, extensions = {} }: PaymentRequired): string {
  const parts: [string, unknown][] = [
    ...Object.entries(resource),
    [`the ${accepts.length} offers of accepts`, accepts],
    ...Object.entries(extensions).map(([key, value]): [string, unknown] => [`extensions.${key}`, value]),
  ];
  const sizes = parts.map(([name, value]) => ({ name, size: JSON.stringify(value)?.length ?? 0 }));
  const { name, size } = sizes.reduce((largest, part) => (part.size > largest.size ? part : largest));
  return `${name} (${size} characters)`;
}
