import * as fc from 'fast-check';
import type * as stock from '@x402/core/types';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { isX402Error, type X402ErrorCode } from '../src/errors.ts';
import { parsePaymentPayload, type PaymentPayload } from '../src/payment-payload.ts';
import { parsePaymentRequired, type PaymentRequired } from '../src/payment-required.ts';
import { parsePaymentRequirements, type PaymentRequirements } from '../src/payment-requirements.ts';
import { parseResourceInfo, type ResourceInfo } from '../src/resource-info.ts';
import { parseSettleResponse, type SettleResponse } from '../src/settle-response.ts';
import { parseSupportedResponse, type SupportedResponse } from '../src/supported-response.ts';
import { parseVerifyResponse, type VerifyResponse } from '../src/verify-response.ts';

const network = 'eip155:84532';
const requirements = {
  scheme: 'exact',
  network,
  asset: 'A',
  amount: '1',
  payTo: 'P',
  maxTimeoutSeconds: 300,
  extra: {},
};

function nested(levels: number): Record<string, unknown> {
  return levels === 0 ? {} : { inner: nested(levels - 1) };
}

function refused(parse: (input: unknown) => unknown, input: unknown): X402ErrorCode | undefined {
  try {
    parse(input);
  } catch (error) {
    if (isX402Error(error)) return error.code;
    throw error;
  }
  return undefined;
}

describe('the messages', () => {
  it('have the types of the stock package, in both directions', () => {
    expectTypeOf<ResourceInfo>().toExtend<stock.ResourceInfo>();
    expectTypeOf<stock.ResourceInfo>().toExtend<ResourceInfo>();
    expectTypeOf<PaymentRequirements>().toExtend<stock.PaymentRequirements>();
    expectTypeOf<stock.PaymentRequirements>().toExtend<PaymentRequirements>();
    expectTypeOf<PaymentRequired>().toExtend<stock.PaymentRequired>();
    expectTypeOf<stock.PaymentRequired>().toExtend<PaymentRequired>();
    expectTypeOf<PaymentPayload>().toExtend<stock.PaymentPayload>();
    expectTypeOf<stock.PaymentPayload>().toExtend<PaymentPayload>();
    expectTypeOf<VerifyResponse>().toExtend<stock.VerifyResponse>();
    expectTypeOf<stock.VerifyResponse>().toExtend<VerifyResponse>();
    expectTypeOf<SettleResponse>().toExtend<stock.SettleResponse>();
    expectTypeOf<stock.SettleResponse>().toExtend<SettleResponse>();
    expectTypeOf<SupportedResponse>().toExtend<stock.SupportedResponse>();
    expectTypeOf<stock.SupportedResponse>().toExtend<SupportedResponse>();
  });

  it.each<[string, (input: unknown) => unknown, unknown]>([
    ['ResourceInfo', parseResourceInfo, { url: 'http://x', tags: ['a'], serviceName: 'Weather' }],
    ['PaymentRequirements', parsePaymentRequirements, requirements],
    ['PaymentRequired', parsePaymentRequired, { x402Version: 2, resource: { url: '' }, accepts: [requirements] }],
    [
      'PaymentPayload',
      parsePaymentPayload,
      { x402Version: 2, accepted: requirements, payload: { any: [1, 'x', null] } },
    ],
    ['VerifyResponse', parseVerifyResponse, { isValid: false, invalidReason: 'r', invalidMessage: 'm' }],
    ['SettleResponse', parseSettleResponse, { success: false, errorReason: 'r', transaction: '', network }],
    ['receipt of a charge of 0', parseSettleResponse, { success: true, transaction: '', network, amount: '0' }],
    [
      'receipt of a voucher',
      parseSettleResponse,
      { success: true, transaction: '', network, extra: { channelState: {} } },
    ],
    [
      'SupportedResponse',
      parseSupportedResponse,
      { kinds: [{ x402Version: 2, scheme: 's', network }], extensions: [], signers: {} },
    ],
  ])('%s comes back as it was', (_name, parse, message) => {
    expect(parse(message)).toEqual(message);
    expect(Object.keys(parse(message) as object).toSorted()).toEqual(Object.keys(message as object).toSorted());
  });

  it('supply what a peer may leave out', () => {
    expect(parseSupportedResponse({ kinds: [] })).toEqual({ kinds: [], extensions: [], signers: {} });
    expect(parsePaymentRequirements({ ...requirements, extra: null })).toEqual(requirements);
  });

  it.each<[string, (input: unknown) => unknown, unknown, X402ErrorCode]>([
    [
      'a network that is none',
      parsePaymentRequirements,
      { ...requirements, network: 'testnet' },
      'invalid_payment_requirements',
    ],
    ['a decimal amount', parsePaymentRequirements, { ...requirements, amount: '1.5' }, 'invalid_payment_requirements'],
    ['a negative amount', parsePaymentRequirements, { ...requirements, amount: '-1' }, 'invalid_payment_requirements'],
    ['a number as amount', parsePaymentRequirements, { ...requirements, amount: 1 }, 'invalid_payment_requirements'],
    ['no time', parsePaymentRequirements, { ...requirements, maxTimeoutSeconds: 0 }, 'invalid_payment_requirements'],
    ['six tags', parseResourceInfo, { url: '', tags: ['', '', '', '', '', ''] }, 'invalid_resource_info'],
    ['a service name with a line break', parseResourceInfo, { url: '', serviceName: 'a\nb' }, 'invalid_resource_info'],
    [
      '65 offers',
      parsePaymentRequired,
      { x402Version: 2, resource: { url: '' }, accepts: Array.from({ length: 65 }, () => requirements) },
      'invalid_payment_required',
    ],
    ['a verdict that is no boolean', parseVerifyResponse, { isValid: 'true' }, 'invalid_verify_response'],
    [
      'a success without transaction',
      parseSettleResponse,
      { success: true, transaction: '', network },
      'invalid_settle_response',
    ],
    [
      'a success without transaction that is of more than 0',
      parseSettleResponse,
      { success: true, transaction: '', network, amount: '1' },
      'invalid_settle_response',
    ],
    [
      'a voucher’s receipt without its channel',
      parseSettleResponse,
      { success: true, transaction: '', network, extra: { chargedAmount: '1' } },
      'invalid_settle_response',
    ],
    ['no transaction at all', parseSettleResponse, { success: false, network }, 'invalid_settle_response'],
    ['65 levels', parsePaymentRequirements, { ...requirements, extra: nested(65) }, 'invalid_payment_requirements'],
    [
      'a text of 65,537 characters',
      parsePaymentRequirements,
      { ...requirements, extra: { text: 'x'.repeat(65_537) } },
      'invalid_payment_requirements',
    ],
    [
      'a prototype key',
      parsePaymentRequirements,
      { ...requirements, extra: JSON.parse('{"a":{"__proto__":{"polluted":1}}}') },
      'invalid_payment_requirements',
    ],
    ['no kinds', parseSupportedResponse, {}, 'invalid_supported_response'],
    [
      '10,001 values',
      parseSettleResponse,
      { success: false, transaction: '', network, extra: { a: Array.from({ length: 10_001 }, () => 0) } },
      'invalid_settle_response',
    ],
  ])('are refused with %s', (_name, parse, message, code) => {
    expect(refused(parse, message)).toBe(code);
  });

  it('keep members that the protocol does not know, at every level', () => {
    const known = { x402Version: 2, resource: { url: '', a: 1 }, accepts: [{ ...requirements, b: [2] }], c: null };
    expect(parsePaymentRequired(known)).toEqual(known);
    const supported = { kinds: [{ x402Version: 2, scheme: 's', network, d: 1 }], extensions: [], signers: {}, e: {} };
    expect(parseSupportedResponse(supported)).toEqual(supported);
  });

  it('drop a null, or an undefined, for what is optional', () => {
    const settled = { success: false, transaction: '', network };
    for (const nothing of [null, undefined]) {
      const parsed = parseSettleResponse({ ...settled, payer: nothing, extra: nothing, errorReason: nothing });
      expect(Object.keys(parsed).toSorted()).toEqual(Object.keys(settled).toSorted());
    }
  });

  it('are read although one offer is on a chain unknown here, or one kind is of version 1', () => {
    const elsewhere = { ...requirements, network: 'somewhere-else:main', amount: '9'.repeat(30) };
    const offered = { x402Version: 2, resource: { url: '' }, accepts: [elsewhere, requirements] };
    expect(parsePaymentRequired(offered)).toEqual(offered);
    const kinds = [
      { x402Version: 1, scheme: 'exact', network: 'base-sepolia' },
      { x402Version: 2, scheme: 'exact', network },
    ];
    expect(parseSupportedResponse({ kinds }).kinds).toEqual(kinds);
  });

  it('leave what they were read from as it was', () => {
    const input = Object.freeze({ ...requirements, extra: Object.freeze({ nothing: undefined }) });
    const parsed = parsePaymentRequirements(input);
    expect(parsed.extra).toEqual({});
    expect(Object.keys(input.extra)).toEqual(['nothing']);
  });

  it('quote little of a wrong key, and none of its control characters', () => {
    const key = `\u001b[31m\n${'k'.repeat(300)}`;
    try {
      parsePaymentRequirements({ ...requirements, extra: { [key]: 1 } });
    } catch (error) {
      expect(String(error)).toMatch(/^X402Error: extra\.[ -~]{0,200}$/);
    }
    expect.assertions(1);
  });

  it('are read from any JSON, or refused with a code', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (json) => {
        for (const parse of [parsePaymentRequired, parsePaymentPayload, parseSettleResponse, parseSupportedResponse]) {
          expect(refused(parse, JSON.parse(json))).toMatch(/^invalid_/);
        }
      }),
    );
  });

  it('name the member that is wrong', () => {
    expect(() =>
      parsePaymentRequired({ x402Version: 2, resource: { url: '' }, accepts: [{ ...requirements, payTo: 7 }] }),
    ).toThrow(/accepts\.0\.payTo/);
  });
});
