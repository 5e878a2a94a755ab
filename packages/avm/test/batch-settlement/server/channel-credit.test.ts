import { describe, expect, it } from 'vitest';
import {
  admit,
  charge,
  chargePart,
  openCredit,
  withdraw,
} from '../../../src/batch-settlement/server/channel-credit.ts';
import { admitted, BALANCE } from '../admitted.ts';

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

  it('admits no amount again that it has forgotten, whatever is withdrawn since', () => {
    let credit = openCredit(1_000_000n);
    for (let amount = 10n; amount <= 10_010n; amount += 10n) {
      credit = charge(admitted(credit, amount, 1n), amount, amount === 10n ? 1n : 0n);
    }
    expect([credit.seen.length, credit.floor]).toEqual([1000, 11n]);
    const withdrawn = withdraw(admitted(credit, 20_000n, 1n), 20_000n);
    for (const forgotten of [9n, 10n, 20n]) {
      expect(admit(withdrawn, { amount: forgotten, maximum: 1n })).toBe('cumulative_amount_mismatch');
    }
    expect(admit(withdrawn, { amount: 21n, maximum: 1n })).toMatchObject({ floor: 21n });
    // The lowest amount that may come is forgotten in its turn.
    const lowest = charge(admitted(withdrawn, 21n, 1n), 21n, 0n);
    const later = withdraw(admitted(lowest, 20_001n, 1n), 20_001n);
    expect([later.floor, admit(later, { amount: 21n, maximum: 1n })]).toEqual([22n, 'cumulative_amount_mismatch']);
  });

  it('is charged in parts, at most what the request may cost, and ends with the rest freed', () => {
    const running = chargePart(chargePart(admitted(openCredit(BALANCE), 100n, 100n), 100n, 30n), 100n, 20n);
    expect(running).toMatchObject({ charged: 50n, reserved: [{ id: 100n, maximum: 50n }] });
    expect(() => chargePart(running, 100n, 51n)).toThrow(RangeError);
    expect(charge(running, 100n, 0n)).toMatchObject({ charged: 50n, reserved: [] });
  });

  it('admits the amount of a withdrawn request again', () => {
    const withdrawn = withdraw(admitted(openCredit(BALANCE), 100n, 50n), 100n);
    expect(withdrawn).toMatchObject({ charged: 0n, reserved: [], seen: [] });
    expect(admit(withdrawn, { amount: 100n, maximum: 50n })).toMatchObject({ seen: [100n] });
  });

  it.each([101n, -1n])('can’t be charged %s for a request of at most 100', (cost) => {
    expect(() => charge(admitted(openCredit(BALANCE), 100n, 100n), 100n, cost)).toThrow(RangeError);
  });

  it('can’t be charged twice for one request', () => {
    const done = charge(admitted(openCredit(BALANCE), 100n, 100n), 100n, 60n);
    expect(() => charge(done, 100n, 40n)).toThrow(RangeError);
  });
});
