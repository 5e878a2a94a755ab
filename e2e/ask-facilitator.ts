import type { PaymentPayload } from '@avm402/core/payment-payload';

/** A facilitator's answer. */
export interface Asked {
  readonly status: number;
  readonly answer: Readonly<Record<string, unknown>>;
}

/** A request about a payment, for what it accepted unless other requirements are named. */
export function facilitatorRequest(payment: PaymentPayload, requirements = payment.accepted) {
  const body = JSON.stringify({ x402Version: 2, paymentPayload: payment, paymentRequirements: requirements });
  return { headers: { 'content-type': 'application/json' }, body };
}

/** Asks a facilitator to verify or settle a payment. */
export async function askFacilitator(
  url: string,
  route: 'verify' | 'settle',
  payment: PaymentPayload,
  requirements = payment.accepted,
): Promise<Asked> {
  const response = await fetch(`${url}/${route}`, { method: 'POST', ...facilitatorRequest(payment, requirements) });
  return { status: response.status, answer: Object(await response.json()) };
}

/** Why a facilitator refused; `ok` if it did not. */
export function refusalIn({ answer }: Asked): string {
  if (answer['isValid'] === true || answer['success'] === true) return 'ok';
  return String(answer['invalidReason'] ?? answer['errorReason'] ?? answer['error']);
}
