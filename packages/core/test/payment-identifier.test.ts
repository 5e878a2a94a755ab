import * as fc from 'fast-check';
import {
  declarePaymentIdentifierExtension,
  extractPaymentIdentifier,
  PAYMENT_IDENTIFIER as STOCK_KEY,
} from '@x402/extensions/payment-identifier';
import { describe, expect, it } from 'vitest';
import { isX402Error } from '../src/errors.ts';
import {
  createPaymentId,
  declarePaymentIdentifier,
  PAYMENT_IDENTIFIER,
  paymentIdentifierOffered,
  paymentIdOf,
  withPaymentId,
} from '../src/payment-identifier.ts';

const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });

describe('a payment id', () => {
  it('is declared in upstream’s wire form', () => {
    expect(PAYMENT_IDENTIFIER).toBe(STOCK_KEY);
    expect(declarePaymentIdentifier()[PAYMENT_IDENTIFIER]).toEqual(declarePaymentIdentifierExtension(false));
    expect(declarePaymentIdentifier({ required: true })[PAYMENT_IDENTIFIER]).toEqual(
      declarePaymentIdentifierExtension(true),
    );
  });

  it.each([
    [undefined, 'no'],
    [{}, 'no'],
    [declarePaymentIdentifier(), 'optional'],
    [declarePaymentIdentifier({ required: true }), 'required'],
  ] as const)('is offered by %j: %s', (extensions, offered) => {
    expect(paymentIdentifierOffered(extensions)).toBe(offered);
  });

  it('holds 128 random bits, is added to a copy, and comes back; upstream reads it, too', () => {
    fc.assert(
      fc.property(bytes, (random) => {
        const id = createPaymentId(() => random);
        expect(id.endsWith(Buffer.from(random).toString('hex'))).toBe(true);
        const declared = declarePaymentIdentifier();
        const extensions = withPaymentId(declared, id);
        expect(paymentIdOf({ extensions })).toBe(id);
        expect(extractPaymentIdentifier({ extensions } as never)).toBe(id);
        expect(declared).toEqual(declarePaymentIdentifier());
      }),
    );
  });

  it.each(['short', 'x'.repeat(129), 'white space here!', 17, {}, ['x'.repeat(20)]])('is not %j', (id) => {
    let caught: unknown;
    try {
      paymentIdOf({ extensions: { [PAYMENT_IDENTIFIER]: { info: { id } } } });
    } catch (error) {
      caught = error;
    }
    expect(isX402Error(caught, 'invalid_payment_identifier')).toBe(true);
  });

  it('is absent where there is none', () => {
    for (const extensions of [undefined, {}, { [PAYMENT_IDENTIFIER]: null }, { [PAYMENT_IDENTIFIER]: { info: {} } }]) {
      expect(paymentIdOf(extensions === undefined ? {} : { extensions })).toBeUndefined();
    }
  });
});
