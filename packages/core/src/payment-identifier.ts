import { X402Error } from './errors.ts';
import type { PaymentPayload } from './payment-payload.ts';
import { isObject, type UnknownMembers } from './unknown-json.ts';

/** Key of the extension in `extensions` (x402 extensions/payment-identifier). */
export const PAYMENT_IDENTIFIER = 'payment-identifier';

const PAYMENT_ID = /^[a-zA-Z0-9_-]{16,128}$/;
const RANDOM_BYTES = 16;

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    required: { type: 'boolean' },
    id: { type: 'string', minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' },
  },
  required: ['required'],
} as const;

/** The extension that a server declares in its offer's `extensions`. */
export function declarePaymentIdentifier({ required = false }: { readonly required?: boolean } = {}): Record<
  string,
  unknown
> {
  return { [PAYMENT_IDENTIFIER]: { info: { required }, schema } };
}

/** Whether an offer declares the extension and, if it does, whether a payment must carry an id. */
export function paymentIdentifierOffered(
  extensions: Record<string, unknown> | undefined,
): 'required' | 'optional' | 'no' {
  const info = infoOf(extensions);
  if (info === undefined) return 'no';
  return info['required'] === true ? 'required' : 'optional';
}

/**
 * The payment id that a payment carries; undefined if it has none.
 * @throws X402Error `invalid_payment_identifier`
 */
export function paymentIdOf(payment: Pick<PaymentPayload, 'extensions'>): string | undefined {
  const id = infoOf(payment.extensions)?.['id'];
  if (id === undefined || id === null) return undefined;
  if (typeof id !== 'string' || !PAYMENT_ID.test(id)) throw new X402Error('invalid_payment_identifier');
  return id;
}

/**
 * A new payment id of 128 random bits. It is the buyer's secret: anyone who knows it can collect the stored response.
 */
export function createPaymentId(random: (bytes: number) => Uint8Array): string {
  const hex = Array.from(random(RANDOM_BYTES), (byte) => byte.toString(16).padStart(2, '0'));
  return `pay_${hex.join('')}`;
}

/**
 * A copy of an offer's extensions with the id added.
 * @throws X402Error `invalid_payment_identifier`
 */
export function withPaymentId(extensions: Record<string, unknown> | undefined, id: string): Record<string, unknown> {
  if (!PAYMENT_ID.test(id)) throw new X402Error('invalid_payment_identifier');
  const declared = extensions?.[PAYMENT_IDENTIFIER];
  const entry = isObject(declared) ? declared : { schema };
  return { ...extensions, [PAYMENT_IDENTIFIER]: { ...entry, info: { required: false, ...infoOf(extensions), id } } };
}

function infoOf(extensions: UnknownMembers | undefined): UnknownMembers | undefined {
  if (extensions === undefined || !Object.hasOwn(extensions, PAYMENT_IDENTIFIER)) return undefined;
  const entry = extensions[PAYMENT_IDENTIFIER];
  return isObject(entry) && isObject(entry['info']) ? entry['info'] : undefined;
}
