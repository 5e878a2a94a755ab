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
  const TEN = Array.from({ length: 10 }, (_, index) => BigInt(index + 1) * 1000n);

  it('are ten multiples of the least one, whatever the sponsor pays now: a charge may have begun when it paid more', () => {
    for (const maxFee of [1999n, 2000n, 10_000n, 1_000_000n]) {
      expect(fees(0n, maxFee)).toEqual(TEN);
      expect(new Set(fees(100n, maxFee).slice(-9)).size).toBe(9);
    }
  });

  it('begin with what the network asks for, rounded up', () => {
    const [first, ...others] = fees(4n, 10_000n);
    expect([first % 1000n, first > 1000n, first < 5000n]).toEqual([0n, true, true]);
    expect([first, ...others].toSorted((one, other) => Number(one - other))).toEqual(TEN);
  });

  it('begin with the most that the sponsor pays, where the network asks for more, so that none is begun and not found', () => {
    expect([fees(100n, 10_000n)[0], fees(100n, 1_000_000n)[0]]).toEqual([5000n, 10_000n]);
    expect(fees(100n, 1_000_000n)).toHaveLength(10);
    expect(fees(100n, 1999n)[0]).toBeGreaterThan(10_000n);
  });
});
