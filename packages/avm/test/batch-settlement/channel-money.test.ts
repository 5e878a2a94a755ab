import { array, assert, bigInt, nat, oneof, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admit, charge, type ChannelCredit, openCredit } from '../../src/batch-settlement/channel-credit.ts';
import { learnCharge, openSpending, signNext } from '../../src/batch-settlement/channel-spending.ts';

const BALANCE = 10_000n;

function admitted(credit: ChannelCredit, amount: bigint, maximum: bigint): ChannelCredit {
  const next = admit(credit, { amount, maximum });
  if (typeof next === 'string') throw new Error(next);
  return next;
}

describe('a seller’s credit', () => {
  it('admits the voucher of a new channel, charges less than it allows, and admits the next', () => {
    const first = charge(admitted(openCredit(BALANCE), 100n, 100n), 100n, 40n);
    expect(first).toMatchObject({ authorized: 100n, charged: 40n, reserved: [] });
    expect(charge(admitted(first, 140n, 100n), 140n, 100n)).toMatchObject({ authorized: 140n, charged: 140n });
  });

  it('admits vouchers that overtake each other', () => {
    const overtaken = admitted(admitted(openCredit(BALANCE), 200n, 100n), 100n, 100n);
    expect(overtaken).toMatchObject({ authorized: 200n, seen: [100n, 200n] });
  });

  it('takes a voucher up to the balance and none above it by one', () => {
    expect(admit(openCredit(BALANCE), { amount: BALANCE, maximum: 1n })).toMatchObject({ authorized: BALANCE });
    expect(admit(openCredit(BALANCE), { amount: BALANCE + 1n, maximum: 1n })).toBe('cumulative_exceeds_balance');
  });

  it('admits one request for each amount', () => {
    const once = admitted(openCredit(BALANCE), 100n, 50n);
    expect(admit(once, { amount: 100n, maximum: 50n })).toBe('channel_busy');
    expect(admit(charge(once, 100n, 0n), { amount: 100n, maximum: 50n })).toBe('channel_busy');
  });

  it('admits nothing that its vouchers do not cover: an old voucher pays for nothing new', () => {
    const served = charge(admitted(openCredit(BALANCE), 100n, 100n), 100n, 100n);
    expect(admit(served, { amount: 99n, maximum: 1n })).toBe('cumulative_amount_mismatch');
    expect(admit(served, { amount: 101n, maximum: 2n })).toBe('cumulative_amount_mismatch');
    expect(admit(served, { amount: 101n, maximum: 1n })).toMatchObject({ authorized: 101n });
  });

  it('keeps what is under way for the requests that it was admitted for', () => {
    const running = admitted(openCredit(BALANCE), 100n, 100n);
    expect(admit(running, { amount: 101n, maximum: 2n })).toBe('cumulative_amount_mismatch');
    expect(admit(running, { amount: 101n, maximum: 1n })).toMatchObject({ authorized: 101n });
  });

  it('remembers a thousand amounts and refuses what is older', () => {
    let credit = openCredit(1_000_000n);
    for (let amount = 2n; amount < 2004n; amount += 2n) credit = charge(admitted(credit, amount, 2n), amount, 0n);
    expect(credit.seen).toHaveLength(1000);
    expect(admit(credit, { amount: 3n, maximum: 1n })).toBe('cumulative_amount_mismatch');
    expect(admit(credit, { amount: 5n, maximum: 1n })).toMatchObject({ charged: 0n });
  });

  it.each([101n, -1n])('cannot be charged %s for a request of at most 100', (cost) => {
    expect(() => charge(admitted(openCredit(BALANCE), 100n, 100n), 100n, cost)).toThrow(RangeError);
  });

  it('cannot be charged twice for one request', () => {
    const done = charge(admitted(openCredit(BALANCE), 100n, 100n), 100n, 60n);
    expect(() => charge(done, 100n, 40n)).toThrow(RangeError);
  });
});

interface Request {
  readonly id: bigint;
  readonly maximum: bigint;
  readonly cost: bigint;
}

/** A buyer and a seller on one channel, whose messages overtake each other. */
class Market {
  spending = openSpending(BALANCE);
  credit = openCredit(BALANCE);
  /** What the buyer has asked for, and one unit for each request that ended uncharged. */
  allowed = 0n;
  readonly #onTheWay: Request[] = [];
  readonly #served: Request[] = [];
  readonly #answered: Request[] = [];

  ask(maximum: bigint): void {
    const signed = signNext(this.spending, maximum);
    if (signed === undefined) return;
    expect(signed.amount).toBeGreaterThan(this.spending.signed);
    this.spending = signed.next;
    this.allowed += maximum;
    this.#onTheWay.push({ id: signed.amount, maximum, cost: 0n });
  }

  arrive(which: number): void {
    for (const request of taken(this.#onTheWay, which)) {
      this.credit = admitted(this.credit, request.id, request.maximum);
      this.#served.push(request);
    }
  }

  answer(which: number, percent: bigint): void {
    for (const request of taken(this.#served, which)) {
      const cost = (request.maximum * percent) / 100n;
      this.credit = charge(this.credit, request.id, cost);
      if (cost === 0n) this.allowed++;
      this.#answered.push({ ...request, cost });
    }
  }

  learn(which: number): void {
    for (const { id, cost } of taken(this.#answered, which)) {
      const learned = learnCharge(this.spending, id, cost);
      if (learned === undefined) throw new Error('an honest receipt was not believed');
      this.spending = learned;
    }
  }
}

function taken(list: Request[], which: number): Request[] {
  return list.length === 0 ? [] : list.splice(which % list.length, 1);
}

const step = oneof(
  bigInt(1n, 300n).map((maximum) => (market: Market) => market.ask(maximum)),
  nat().map((which) => (market: Market) => market.arrive(which)),
  tuple(nat(), bigInt(0n, 100n)).map(
    ([which, percent]) =>
      (market: Market) =>
        market.answer(which, percent),
  ),
  nat().map((which) => (market: Market) => market.learn(which)),
);

describe('buyer and seller together', () => {
  it('whatever overtakes whatever: every honest request is admitted, nobody signs or is charged more than was asked for', () => {
    assert(
      property(array(step, { maxLength: 200 }), (steps) => {
        const market = new Market();
        for (const act of steps) {
          act(market);
          const { charged, reserved, authorized, balance } = market.credit;
          const held = reserved.reduce((sum, { maximum }) => sum + maximum, charged);
          expect(held).toBeLessThanOrEqual(authorized);
          expect(authorized).toBeLessThanOrEqual(balance);
          expect(market.spending.signed).toBeLessThanOrEqual(market.allowed);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a receipt over more than was asked for is not believed', () => {
    const { amount = 0n, next = openSpending(0n) } = signNext(openSpending(BALANCE), 100n) ?? {};
    expect(learnCharge(next, amount, 101n)).toBeUndefined();
    expect(learnCharge(next, amount + 1n, 1n)).toBeUndefined();
    expect(learnCharge(next, amount, 100n)).toMatchObject({ charged: 100n, underWay: [] });
  });

  it('a buyer whose request ended uncharged signs one unit more, not the same amount again', () => {
    const { amount = 0n, next = openSpending(0n) } = signNext(openSpending(BALANCE), 100n) ?? {};
    const released = learnCharge(next, amount, 0n) ?? openSpending(0n);
    expect([amount, signNext(released, 100n)?.amount, signNext(released, 50n)?.amount]).toEqual([100n, 101n, 101n]);
  });

  it('a buyer signs up to its deposit and not one unit more', () => {
    expect(signNext(openSpending(100n), 100n)?.amount).toBe(100n);
    expect(signNext(openSpending(100n), 101n)).toBeUndefined();
  });
});
