import { decodeStrictBase64, encodeBase64 } from './base64.ts';
import { X402Error, type X402ErrorCode } from './errors.ts';
import { parsePaymentPayload, type PaymentPayload } from './payment-payload.ts';
import { parsePaymentRequired, type PaymentRequired } from './payment-required.ts';
import { parseSettleResponse, type SettleResponse } from './settle-response.ts';

/** Keys of `_meta` in a call of an MCP tool and in its result (x402 transports-v2/mcp). */
export const MCP_PAYMENT = 'x402/payment';
export const MCP_RECEIPT = 'x402/payment-response';
/** The three headers of the HTTP transport (x402 transports-v2/http). */
export const PAYMENT_REQUIRED_HEADER = 'PAYMENT-REQUIRED';
export const PAYMENT_SIGNATURE_HEADER = 'PAYMENT-SIGNATURE';
export const PAYMENT_RESPONSE_HEADER = 'PAYMENT-RESPONSE';

/** The longest header value that is read. A group of 16 transactions takes about 10 KB. */
export const MAX_HEADER_BYTES = 16_384;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function encode(value: unknown): string {
  return encodeBase64(new TextEncoder().encode(JSON.stringify(value)));
}

interface Decoding<T> {
  readonly parse: (input: unknown) => T;
  readonly code: X402ErrorCode;
  readonly maxLength?: number;
}

function decode<T>(text: string, { parse, code, maxLength = MAX_HEADER_BYTES }: Decoding<T>): T {
  if (text.length > maxLength) {
    throw new X402Error('header_too_large', {
      message: `the header has ${text.length} characters; ${maxLength} are read`,
    });
  }
  const bytes = decodeStrictBase64(text);
  if (bytes === undefined) throw new X402Error(code, { message: 'the header is not standard padded base64' });
  return parse(parseJson(bytes, code));
}

function parseJson(bytes: Uint8Array, code: X402ErrorCode): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    // The parser's own message quotes its input, which may contain a signature.
    throw new X402Error(code, { message: 'the header is not JSON in UTF-8' });
  }
}

/** The value of a PAYMENT-REQUIRED header. */
export function encodePaymentRequiredHeader(value: PaymentRequired): string {
  return encode(value);
}

/** @throws X402Error `header_too_large`, `invalid_payment_required` */
export function decodePaymentRequiredHeader(text: string): PaymentRequired {
  return decode(text, { parse: parsePaymentRequired, code: 'invalid_payment_required' });
}

/** The value of a PAYMENT-SIGNATURE header. It is a secret: anyone who holds it can spend the payment. */
export function encodePaymentSignatureHeader(value: PaymentPayload): string {
  return encode(value);
}

/**
 * @throws X402Error `header_too_large`, `invalid_payment_header` (not base64 of JSON), `invalid_payment_payload`
 * (another message)
 */
export function decodePaymentSignatureHeader(text: string, maxLength: number = MAX_HEADER_BYTES): PaymentPayload {
  return decode(text, { parse: parsePaymentPayload, code: 'invalid_payment_header', maxLength });
}

/** The value of a PAYMENT-RESPONSE header. */
export function encodePaymentResponseHeader(value: SettleResponse): string {
  return encode(value);
}

/** @throws X402Error `header_too_large`, `invalid_settle_response` */
export function decodePaymentResponseHeader(text: string): SettleResponse {
  return decode(text, { parse: parseSettleResponse, code: 'invalid_settle_response' });
}
