import { describe, expect, it } from 'vitest';
import { isX402Error } from '@avm402/core/errors';
import {
  checkAuthorizationNow,
  checkAuthorizationSignature,
  checkAuthorizationTerms,
  checkAuthorizationWindow,
} from '../../src/upto/checks/authorization.ts';
import { memberFees, mostFeeOf } from '../../src/upto/facilitator/upto-fee.ts';
import { checkUpto, checkUptoCharge } from '../../src/upto/facilitator/upto-charge.ts';
import { encodeUptoPayload } from '../../src/upto/payload.ts';
import { uptoGroup } from '../../src/upto/upto-group.ts';
import { LAST, offer, payer, seller, signed } from './upto-fixture.ts';

function codeOf(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return isX402Error(error) ? error.code : error;
  }
}

describe('the rounds of an authorization, exactly', () => {
  it.each([
    [2n, 'invalid_upto_avm_expired'],
    [3n, undefined],
    [1000n, undefined],
    [1001n, 'invalid_upto_avm_authorization'],
  ])('with %s left it is verified as %s', (left, code) => {
    expect(codeOf(() => checkAuthorizationWindow(signed(), LAST - left))).toBe(code);
  });

  it.each([
    [0n, 'invalid_upto_avm_expired'],
    [1n, undefined],
    [1000n, undefined],
    [1001n, 'invalid_upto_avm_authorization'],
  ])('with %s left it is settled as %s', (left, code) => {
    expect(codeOf(() => checkAuthorizationNow(signed(), LAST - left))).toBe(code);
  });

  it('its group is valid in the last thousand of them, from the first round on', () => {
    const windows = [999n, 1000n, 1001n, LAST].map((lastValid) => {
      const [feePayer, transfer] = uptoGroup(signed({ lastValid }), { amount: 7n, fee: 1000n });
      expect([feePayer?.fee, transfer?.fee, transfer?.firstValid]).toEqual([2000n, 0n, feePayer?.firstValid]);
      return transfer?.firstValid;
    });
    expect(windows).toEqual([0n, 0n, 1n, 4000n]);
  });
});

describe('an authorization', () => {
  it.each([
    ['the receiver', { receiver: payer.address }, { payTo: payer.address }],
    ['the fee payer', { feePayer: payer.address }, { extra: { feePayer: payer.address } }],
  ])('whose payer is %s is refused, though it is the one of the offer', (_party, change, offered) => {
    expect(codeOf(() => checkAuthorizationTerms(signed(change), { ...offer, ...offered }))).toBe(
      'invalid_upto_avm_authorization',
    );
    expect(codeOf(() => checkAuthorizationTerms(signed(), offer))).toBeUndefined();
  });

  it('is signed by its payer, or by whom the payer says it is rekeyed to, which is not the payer', () => {
    const by = (signer: typeof payer, authAddress?: string): unknown =>
      codeOf(() => checkAuthorizationSignature({ ...signed({}, signer), ...(authAddress && { authAddress }) }));
    expect(by(payer)).toBeUndefined();
    expect(by(seller, seller.address)).toBeUndefined();
    for (const [signer, authAddress] of [[seller], [payer, seller.address], [payer, payer.address]] as const) {
      expect(by(signer, authAddress)).toBe('invalid_upto_avm_signature');
    }
  });

  it('is one of the scheme `upto` and no other, at verify and at settle', () => {
    const payload = { x402Version: 2, accepted: offer, payload: encodeUptoPayload(signed()) };
    const exact = { ...payload, accepted: { ...offer, scheme: 'exact' } };
    for (const check of [checkUpto, checkUptoCharge]) {
      expect(check(payload, offer).amount).toBe(50_000n);
      expect(codeOf(() => check(exact, offer))).toBe('unsupported_scheme');
    }
  });
});

describe('the fees that are tried for each member', () => {
  const requirements = offer;
  const upto = { payment: signed(), requirements, amount: 7n };
  const fees = (fee: bigint, maxFee: bigint) => memberFees(upto, { fee, minFee: 1000n }, mostFeeOf({ maxFee }));

  it('are multiples of the least one, up to what the sponsor pays for both', () => {
    expect(fees(0n, 1999n)).toEqual([1000n]);
    expect(fees(0n, 2000n)).toEqual([1000n]);
    expect(fees(0n, 10_000n)).toEqual([1000n, 2000n, 3000n, 4000n, 5000n]);
  });

  it('are ten at most, and one more where the network asks for more than that', () => {
    expect(fees(0n, 1_000_000n)).toHaveLength(10);
    const [now, ...others] = fees(100n, 1_000_000n);
    expect([now > 10_000n, now % 1000n, others.length]).toEqual([true, 0n, 10]);
  });

  it('begin with what the network asks for, rounded up', () => {
    const first = fees(4n, 10_000n)[0];
    const sizes = first * 2n;
    expect([first % 1000n, sizes >= 2000n]).toEqual([0n, true]);
    expect(new Set(fees(4n, 10_000n))).toEqual(new Set([1000n, 2000n, 3000n, 4000n, 5000n]));
  });
});
