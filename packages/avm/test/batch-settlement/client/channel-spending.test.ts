import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  adopt,
  type ChannelSpending,
  endInDoubt,
  learnCharge,
  learnLate,
  learnPart,
  openSpending,
  resumeSpending,
  signNext,
} from '../../../src/batch-settlement/client/channel-spending.ts';

/** A hundred deposited, 20 charged, 30 in doubt, and one request of at most ten under way, whose voucher is over 60. */
const spending: ChannelSpending = {
  deposit: 100n,
  charged: 20n,
  signed: 60n,
  underWay: [{ id: 60n, maximum: 10n }],
  doubtful: 30n,
};

describe('what a buyer signs next', () => {
  it.each<[string, Partial<ChannelSpending>, bigint, bigint | undefined]>([
    ['covers what is charged, under way and asked for', { signed: 5n }, 10n, 40n],
    ['is a unit above the last where that covers it', {}, 10n, 61n],
    ['is a unit above the last where that covers it exactly', { signed: 40n }, 10n, 41n],
    ['is what is needed where that is a unit more than the last', { signed: 39n }, 10n, 40n],
    ['is all of the deposit', {}, 70n, 100n],
    ['is nothing beyond the deposit', {}, 71n, undefined],
    ['is a unit above the last up to the deposit', { signed: 99n }, 1n, 100n],
    ['is nothing where all of the deposit was signed', { signed: 100n }, 1n, undefined],
  ])('%s', (_what, change, maximum, amount) => {
    const before = { ...spending, ...change };
    const signed = signNext(before, maximum);
    expect(signed?.amount).toBe(amount);
    if (amount === undefined) return;
    const underWay = [...before.underWay, { id: amount, maximum }];
    expect(signed?.next).toEqual({ ...before, signed: amount, underWay });
  });

  it('begins with the price, and after a restart above all that was signed, all of which may have been charged', () => {
    expect(openSpending(9n)).toEqual({ deposit: 9n, charged: 0n, signed: 0n, underWay: [], doubtful: 0n });
    const record = { deposit: 100n, charged: 20n, signed: 50n, signedUpTo: 80n };
    expect(resumeSpending(record)).toEqual({ deposit: 100n, charged: 20n, signed: 50n, underWay: [], doubtful: 60n });
  });
});

describe('what a buyer learns of a request', () => {
  it.each([
    [-1n, false],
    [0n, true],
    [10n, true],
    [11n, false],
  ])('under way that is said to cost %s of at most ten', (cost, isBelieved) => {
    const charged = 20n + cost;
    const rest = { id: 60n, maximum: 10n - cost };
    expect(learnCharge(spending, 60n, cost)).toEqual(isBelieved ? { ...spending, charged, underWay: [] } : undefined);
    expect(learnPart(spending, 60n, cost)).toEqual(isBelieved ? { ...spending, charged, underWay: [rest] } : undefined);
    const late = { ...spending, charged, doubtful: 20n };
    expect(learnLate(spending, { maximum: 10n }, cost)).toEqual(isBelieved ? late : undefined);
  });

  it('that is not under way is nothing, and nothing changes where it ends in doubt', () => {
    expect([learnCharge(spending, 59n, 0n), learnPart(spending, 59n, 0n)]).toEqual([undefined, undefined]);
    expect(endInDoubt(spending, 59n)).toBe(spending);
  });

  it('that ends in doubt is that it may have cost all; the others stay under way', () => {
    const other = { id: 61n, maximum: 3n };
    const two = { ...spending, underWay: [...spending.underWay, other] };
    expect(endInDoubt(two, 60n)).toEqual({ ...spending, underWay: [other], doubtful: 40n });
    expect(learnCharge(two, 60n, 4n)?.underWay).toEqual([other]);
    expect(learnPart(two, 60n, 4n)?.underWay).toEqual([{ id: 60n, maximum: 6n }, other]);
  });

  it.each([
    ['costs more than what is in doubt', 3n, 8n, 10n, 23n, 0n],
    ['costs all that is in doubt', 8n, 8n, 10n, 28n, 0n],
    ['costs less', 8n, 3n, 8n, 23n, 0n],
    ['may have cost less than what is in doubt', 8n, 3n, 7n, 23n, 1n],
  ])('late counts at most what is in doubt: it %s', (_what, doubtful, cost, maximum, charged, rest) => {
    expect(learnLate({ ...spending, doubtful }, { maximum }, cost)).toEqual({ ...spending, charged, doubtful: rest });
  });
});

describe('what a seller tells is adopted', () => {
  it.each<[string, { charged: bigint; signed: bigint }, Partial<ChannelSpending> | undefined]>([
    ['where it is what is known', { charged: 20n, signed: 60n }, {}],
    ['where it is less than what is known, which stays', { charged: 19n, signed: 60n }, {}],
    ['with all that is in doubt', { charged: 50n, signed: 60n }, { charged: 50n, doubtful: 0n }],
    ['with a part of what is in doubt', { charged: 21n, signed: 60n }, { charged: 21n, doubtful: 29n }],
    [
      'with what is under way, which tells its cost itself',
      { charged: 60n, signed: 60n },
      { charged: 50n, doubtful: 0n },
    ],
    ['beyond what explains it it is not', { charged: 61n, signed: 60n }, undefined],
    [
      'beyond what explains it it is not, within its voucher',
      { charged: 61n, signed: 61n },
      { charged: 51n, signed: 61n, doubtful: 0n },
    ],
    ['beyond its voucher it is not', { charged: 31n, signed: 30n }, undefined],
    ['with an older voucher', { charged: 30n, signed: 30n }, { charged: 30n, doubtful: 20n }],
    [
      'up to a voucher that somebody else signed',
      { charged: 90n, signed: 90n },
      { charged: 80n, signed: 90n, doubtful: 0n },
    ],
    ['beyond such a voucher it is not', { charged: 91n, signed: 90n }, undefined],
    ['with such a voucher alone', { charged: 20n, signed: 61n }, { signed: 61n }],
  ])('%s', (_what, told, change) => {
    expect(adopt(spending, told)).toEqual(change && { ...spending, ...change });
  });

  it('and never leaves more to be charged than was signed', () => {
    const amount = fc.bigInt(0n, 120n);
    fc.assert(
      fc.property(amount, amount, (charged, signed) => {
        const after = adopt(spending, { charged, signed });
        if (after === undefined) return;
        expect(after.charged).toBeGreaterThanOrEqual(spending.charged);
        expect(after.charged + after.doubtful + 10n).toBeLessThanOrEqual(after.signed);
        expect(after.charged + 10n).toBeGreaterThanOrEqual(charged);
      }),
    );
  });
});
