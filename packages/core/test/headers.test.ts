import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodePaymentRequiredHeader as stockDecodeRequired,
  decodePaymentResponseHeader as stockDecodeResponse,
  decodePaymentSignatureHeader as stockDecodeSignature,
  encodePaymentRequiredHeader as stockEncodeRequired,
} from '@x402/core/http';
import { isX402Error, type X402ErrorCode } from '../src/errors.ts';
import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  decodePaymentSignatureHeader,
  encodePaymentRequiredHeader,
  encodePaymentResponseHeader,
  encodePaymentSignatureHeader,
  MAX_HEADER_BYTES,
} from '../src/headers.ts';
import type { PaymentPayload } from '../src/payment-payload.ts';
import type { PaymentRequired } from '../src/payment-required.ts';
import type { SettleResponse } from '../src/settle-response.ts';

const TESTNET = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe';

const required: PaymentRequired = {
  x402Version: 2,
  error: 'Payment required',
  resource: { url: 'https://api.example/weather', description: 'Wetter in Zürich ☀', mimeType: 'application/json' },
  accepts: [
    {
      scheme: 'exact',
      network: TESTNET,
      asset: '10458941',
      amount: '10000',
      payTo: 'A7NMWS3NT3IUDMLVO26ULGXGIIOUQ3ND2TXSER6EBGRZNOBOUIQXHIBGDE',
      maxTimeoutSeconds: 300,
      extra: { feePayer: 'X' },
    },
  ],
  extensions: { bazaar: { info: {} } },
};
const [accepted] = required.accepts;
if (!accepted) throw new Error('no offer');
const payment: PaymentPayload = {
  x402Version: 2,
  resource: required.resource,
  accepted,
  payload: { paymentGroup: ['gqNzaWc='], paymentIndex: 0 },
};
const settlement: SettleResponse = { success: true, payer: 'P', transaction: 'T', network: TESTNET };

function codeOf(action: () => unknown): X402ErrorCode | undefined {
  try {
    action();
  } catch (error) {
    if (isX402Error(error)) return error.code;
    throw error;
  }
  return undefined;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('the three headers', () => {
  it('come back as they were, and stock reads them alike', () => {
    expect(decodePaymentRequiredHeader(encodePaymentRequiredHeader(required))).toEqual(required);
    expect(decodePaymentSignatureHeader(encodePaymentSignatureHeader(payment))).toEqual(payment);
    expect(decodePaymentResponseHeader(encodePaymentResponseHeader(settlement))).toEqual(settlement);
    expect(stockDecodeRequired(encodePaymentRequiredHeader(required))).toEqual(required);
    expect(stockDecodeSignature(encodePaymentSignatureHeader(payment))).toEqual(payment);
    expect(stockDecodeResponse(encodePaymentResponseHeader(settlement))).toEqual(settlement);
    expect(encodePaymentRequiredHeader(required)).toBe(stockEncodeRequired(required));
  });

  it('keep members that the protocol does not know', () => {
    const extended = { ...payment, future: { a: 1 }, accepted: { ...accepted, more: true } };
    expect(decodePaymentSignatureHeader(base64(JSON.stringify(extended)))).toEqual(extended);
  });

  it('take null for an absent optional member', () => {
    const nulled = { ...payment, resource: null, extensions: null };
    expect(decodePaymentSignatureHeader(base64(JSON.stringify(nulled)))).toEqual({
      x402Version: 2,
      accepted,
      payload: payment.payload,
    });
  });

  it.each<[string, string, X402ErrorCode]>([
    ['base64url', base64('{"a":"???>>>"}').replace('/', '_'), 'invalid_payment_header'],
    ['missing padding', base64('{"a":1}').replace(/=+$/, ''), 'invalid_payment_header'],
    ['text behind the padding', `${base64('{"a":1}')}=`, 'invalid_payment_header'],
    ['an empty object', 'e30=', 'invalid_payment_payload'],
    ['unused bits', 'e31=', 'invalid_payment_header'],
    ['white space', ` ${base64('{}')}`, 'invalid_payment_header'],
    ['no JSON', base64('hello'), 'invalid_payment_header'],
    ['broken UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]).toString('base64'), 'invalid_payment_header'],
    ['null', base64('null'), 'invalid_payment_payload'],
    ['a number', base64('2'), 'invalid_payment_payload'],
    ['an array', base64('[]'), 'invalid_payment_payload'],
    ['no accepted', base64('{"x402Version":2,"payload":{}}'), 'invalid_payment_payload'],
    [
      'a prototype key',
      base64(`{"x402Version":2,"payload":{"__proto__":{"x":1}},"accepted":{}}`),
      'invalid_payment_payload',
    ],
    ['nesting', base64(`{"payload":${'['.repeat(500)}${']'.repeat(500)}}`), 'invalid_payment_payload'],
    ['too long', 'A'.repeat(MAX_HEADER_BYTES + 4), 'header_too_large'],
  ])('refuse %s', (_name, header, code) => {
    expect(codeOf(() => decodePaymentSignatureHeader(header))).toBe(code);
  });

  it('never quote what they could not read: it may be a signature', () => {
    const secret = 'not-json-but-secret';
    try {
      decodePaymentSignatureHeader(base64(secret));
    } catch (error) {
      expect(String(error)).not.toContain(secret);
      expect(JSON.stringify(error)).not.toContain(secret);
    }
    expect.assertions(2);
  });

  it('read or refuse any text with a code', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        for (const decode of [decodePaymentRequiredHeader, decodePaymentSignatureHeader, decodePaymentResponseHeader]) {
          for (const header of [text, base64(text)]) expect(codeOf(() => decode(header))).toBeDefined();
        }
      }),
    );
  });

  it('read or refuse any JSON with a code', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (json) => {
        codeOf(() => decodePaymentRequiredHeader(base64(json)));
        codeOf(() => decodePaymentSignatureHeader(base64(json)));
        codeOf(() => decodePaymentResponseHeader(base64(json)));
      }),
    );
  });

  it('carry any payload unchanged', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string({ maxLength: 20 }).filter((key) => key !== '__proto__'),
          fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('__proto__')),
        ),
        (payload) => {
          const plain: unknown = JSON.parse(JSON.stringify({ ...payment, payload }));
          expect(decodePaymentSignatureHeader(encodePaymentSignatureHeader({ ...payment, payload }))).toEqual(plain);
        },
      ),
    );
  });
});
