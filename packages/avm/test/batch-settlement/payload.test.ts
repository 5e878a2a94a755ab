import { assert, jsonValue, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isX402Error } from '@avm402/core/errors';
import { channelId } from '../../src/batch-settlement/channel-config.ts';
import { claimAuthorizerOf, isClaimSigned, signClaim } from '../../src/batch-settlement/claim-authorization.ts';
import { isCloseSigned, signClose } from '../../src/batch-settlement/close-authorization.ts';
import { encodeChannelPayload, parseChannelPayload } from '../../src/batch-settlement/payload.ts';
import { isVoucherSigned, signVoucher } from '../../src/batch-settlement/voucher.ts';
import { config, sessionKey } from './channel-fixture.ts';
import { claimKey, deposit } from './channel-stage.ts';

const voucher = signVoucher(sessionKey, channelId(config), 7n);
const claim = { channelId: channelId(config), amount: 7n };
const authorization = signClaim(claimKey, claim);
const payloads = [
  deposit(),
  { type: 'voucher', channelConfig: config, voucher },
  { type: 'refund', channelConfig: config, authorization: signClose(sessionKey, channelId(config)) },
  { type: 'refund', channelConfig: config },
  { type: 'claim', channelConfig: config, amount: 7n, voucher, authorization },
  { type: 'claim', channelConfig: config, amount: 0n, authorization },
] as const;
const wire = encodeChannelPayload(payloads[4]);

describe('a payment by channel', () => {
  it.each(payloads)('comes back from the wire as it was: $type', (payload) => {
    expect(parseChannelPayload(JSON.parse(JSON.stringify(encodeChannelPayload(payload))))).toEqual(payload);
  });

  it.each([
    ['an unknown type', { ...wire, type: 'withdraw' }],
    ['an amount that is a number', { ...wire, amount: 7 }],
    ['a short authorization', { ...wire, authorization: 'AAAA' }],
    ['a short word to close', { ...wire, type: 'refund', authorization: 'AAAA' }],
    ['a voucher payment without a voucher', { ...wire, type: 'voucher', voucher: undefined }],
    ['a deposit without a group', { ...encodeChannelPayload(payloads[0]), deposit: { amount: '1' } }],
    [
      'a deposit of no transactions',
      { ...encodeChannelPayload(payloads[0]), deposit: { amount: '1', paymentGroup: ['AAAA'] } },
    ],
  ])('is refused with %s', (_what, value) => {
    expect(() => parseChannelPayload(value)).toThrow(
      expect.objectContaining({
        code: expect.stringMatching(/^invalid_batch_settlement_avm_(payload|deposit_group)$/),
      }),
    );
  });

  it('is read, or refused with a code, whatever it holds', () => {
    const shape = record(Object.fromEntries(Object.keys(wire).map((name) => [name, jsonValue()])));
    assert(
      property(shape, (value) => {
        try {
          parseChannelPayload({ ...wire, ...value });
        } catch (error) {
          expect(isX402Error(error)).toBe(true);
        }
      }),
    );
  });
});

describe('a claim', () => {
  it('carries the word of its seller, for one channel and one amount', () => {
    const address = claimAuthorizerOf(claimKey);
    expect(isClaimSigned(authorization, claim, address)).toBe(true);
    expect(isClaimSigned(authorization, { ...claim, amount: 6n }, address)).toBe(false);
    expect(isClaimSigned(authorization, { ...claim, channelId: address }, address)).toBe(false);
    expect(isClaimSigned(authorization, claim, claimAuthorizerOf(sessionKey))).toBe(false);
  });

  it('is not signed by what signs vouchers or transactions', () => {
    expect(isClaimSigned(voucher.signature, claim, claimAuthorizerOf(sessionKey))).toBe(false);
  });
});

describe('a word to close', () => {
  const id = channelId(config);
  const word = signClose(sessionKey, id);

  it('is the session key’s, for one channel', () => {
    expect(isCloseSigned(word, id, config.payerAuthorizer)).toBe(true);
    expect(isCloseSigned(word, config.payer, config.payerAuthorizer)).toBe(false);
    expect(isCloseSigned(word, id, config.payer)).toBe(false);
  });

  it('is no voucher, and no voucher is one: whatever the amount', () => {
    expect(isCloseSigned(voucher.signature, id, config.payerAuthorizer)).toBe(false);
    for (const amount of [0n, 7n, 2n ** 64n - 1n]) {
      const forged = { channelId: id, maxClaimableAmount: amount, signature: word };
      expect(isVoucherSigned(forged, config.payerAuthorizer)).toBe(false);
    }
  });
});
