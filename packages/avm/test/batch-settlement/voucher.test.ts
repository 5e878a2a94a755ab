import { assert, bigInt, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { channelId } from '../../src/batch-settlement/channel-config.ts';
import { encodeVoucher, isVoucherSigned, parseVoucher, signVoucher } from '../../src/batch-settlement/voucher.ts';
import { config, seller, sessionKey } from './channel-fixture.ts';

const id = channelId(config);
const voucher = signVoucher(sessionKey, id, 12_345n);

describe('a voucher', () => {
  it('is signed by the session key, for one channel and one amount', () => {
    expect(isVoucherSigned(voucher, config.payerAuthorizer)).toBe(true);
    expect(isVoucherSigned({ ...voucher, maxClaimableAmount: 12_346n }, config.payerAuthorizer)).toBe(false);
    expect(isVoucherSigned({ ...voucher, channelId: seller.address }, config.payerAuthorizer)).toBe(false);
    expect(isVoucherSigned(voucher, config.payer)).toBe(false);
  });

  it('comes back from the wire as it was, for every amount of 64 bits', () => {
    assert(
      property(bigInt(0n, 2n ** 64n - 1n), (amount) => {
        const signed = signVoucher(sessionKey, id, amount);
        expect(parseVoucher(JSON.parse(JSON.stringify(encodeVoucher(signed))))).toEqual(signed);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['no address', { ...encodeVoucher(voucher), channelId: 'x' }],
    ['a number as amount', { ...encodeVoucher(voucher), maxClaimableAmount: 5 }],
    ['an amount above 64 bits', { ...encodeVoucher(voucher), maxClaimableAmount: '18446744073709551616' }],
    ['a short signature', { ...encodeVoucher(voucher), signature: 'AAAA' }],
    ['nothing', undefined],
  ])('is refused with %s', (_what, value) => {
    expect(() => parseVoucher(value)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/payload|amount/) }),
    );
  });
});
