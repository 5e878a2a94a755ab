import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advanceVoucher, type VoucherEvent } from '../../../src/batch-settlement/client/advance-voucher.ts';
import { type ChannelSpending, openSpending, signNext } from '../../../src/batch-settlement/client/channel-spending.ts';

const unknown: VoucherEvent = { event: 'unknown' };

/** A channel with one request of at most 1,000 under way. */
function signed() {
  const { amount: id = 0n, next = openSpending(0n) } = signNext(openSpending(10_000n), 1000n) ?? {};
  const request = { id, maximum: 1000n };
  const after = (...events: readonly VoucherEvent[]): ChannelSpending =>
    events.reduce((spending, event) => advanceVoucher(spending, request, event).spending, next);
  return { next, request, after };
}

const cost = fc.option(fc.bigInt(0n, 1500n), { nil: undefined });
const event: fc.Arbitrary<VoucherEvent> = fc.oneof(
  fc.record({ event: fc.constant('charged' as const), cost, goesOn: fc.boolean() }),
  fc.constant({ event: 'refused' } as const),
  fc.constant(unknown),
);

describe('a request that a voucher was signed for', () => {
  it('costs at most its maximum, whatever is told how often', () => {
    const holds = (events: readonly VoucherEvent[]): void => {
      const { charged, doubtful, underWay } = signed().after(...events);
      const open = underWay.reduce((sum, { maximum }) => sum + maximum, 0n);
      expect(charged + doubtful + open).toBeLessThanOrEqual(1000n);
    };
    fc.assert(fc.property(fc.array(event), holds), { numRuns: 1000 });
  });

  it('ends with the first event, unless it is a stream that goes on', () => {
    const holds = (first: VoucherEvent): void => {
      const goesOn = first.event === 'charged' && first.goesOn && (first.cost ?? 0n) <= 1000n;
      expect(signed().after(first).underWay).toHaveLength(goesOn ? 1 : 0);
    };
    fc.assert(fc.property(event, holds));
  });

  it('is believed to cost its maximum and no more, also late and in part', () => {
    const holds = (told: bigint, goesOn: boolean, isLate: boolean): void => {
      const { next, request, after } = signed();
      const before = isLate ? after(unknown) : next;
      const { isBelieved, spending } = advanceVoucher(before, request, { event: 'charged', cost: told, goesOn });
      expect(isBelieved).toBe(told <= 1000n);
      expect(spending.charged).toBe(isBelieved ? told : 1000n);
    };
    fc.assert(fc.property(fc.bigInt(0n, 1500n), fc.boolean(), fc.boolean(), holds));
  });

  it('keeps the rest of a stream in doubt whose head came late', () => {
    const late = signed().after(unknown, { event: 'charged', cost: 100n, goesOn: true });
    expect(late).toMatchObject({ charged: 100n, doubtful: 900n, underWay: [] });
  });
});
