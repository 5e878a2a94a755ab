import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { encodeTransaction } from '@avm402/algorand/transaction';
import { isX402Error } from '@avm402/core/errors';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import { describe, expect, it } from 'vitest';
import { checkPaymentOffline } from '../../src/exact/check-payment-offline.ts';
import { ProvenGroups } from '../../src/exact/proven-groups.ts';
import { feePayment, grouped, payloadOf, requirements, sponsoredPayment, transfer } from './payment-fixture.ts';

const known = new ProvenGroups(10);

function verdictOn(payload: PaymentPayload, required = requirements): string {
  try {
    checkPaymentOffline(payload, required, known);
    return 'accepted';
  } catch (error) {
    if (isX402Error(error)) return error.code;
    throw error;
  }
}

describe('a group that was proven', () => {
  const payload = sponsoredPayment();

  it('is not decoded again when exactly the same comes again', () => {
    const groups = new ProvenGroups(10);
    const first = checkPaymentOffline(payload, requirements, groups);
    const again = checkPaymentOffline(structuredClone(payload), requirements, groups);
    expect(again.exact.transfer).toBe(first.exact.transfer);
    expect(again).toEqual(checkPaymentOffline(payload, requirements));
  });

  it('is held to the requirements all the same', () => {
    expect(verdictOn(payload)).toBe('accepted');
    expect(verdictOn({ ...payload, x402Version: 3 })).toBe('invalid_exact_avm_invalid_version');
    const dearer = { ...requirements, amount: '10001' };
    expect(verdictOn({ ...payload, accepted: dearer }, dearer)).toBe('invalid_exact_avm_amount_mismatch');
  });

  it('vouches for no other signature, index or type of index', () => {
    expect(verdictOn(payload)).toBe('accepted');
    const { paymentGroup } = payload.payload as { paymentGroup: string[] };
    const [, axfer] = grouped(feePayment, transfer);
    const forged = encodeSignedTransaction({ txn: axfer, signature: new Uint8Array(64).fill(1) });
    expect(verdictOn(payloadOf([encodeTransaction(grouped(feePayment, transfer)[0]), forged]))).toBe(
      'invalid_exact_avm_invalid_signature',
    );
    const withIndex = (paymentIndex: unknown): PaymentPayload => ({
      ...payload,
      payload: { paymentGroup, paymentIndex },
    });
    expect(verdictOn(withIndex('1'))).toBe('invalid_exact_avm_payload');
    expect(verdictOn(withIndex(0))).toBe('invalid_exact_avm_not_asset_transfer');
  });

  it('makes room for later ones', () => {
    const groups = new ProvenGroups(1);
    const first = checkPaymentOffline(payload, requirements, groups);
    checkPaymentOffline(sponsoredPayment({ transfer: { note: new Uint8Array(32).fill(9) } }), requirements, groups);
    expect(checkPaymentOffline(payload, requirements, groups).exact.transfer).not.toBe(first.exact.transfer);
  });
});
