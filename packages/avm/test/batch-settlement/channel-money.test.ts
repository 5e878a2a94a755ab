// What is asked in each of some hundred thousand steps is asked by Node's `ok`: `expect` takes more time than the step.
import { ok } from 'node:assert/strict';
import { array, assert, bigInt, nat, oneof, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admit, charge, chargePart, openCredit } from '../../src/batch-settlement/server/channel-credit.ts';
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
} from '../../src/batch-settlement/client/channel-spending.ts';
import { admitted, BALANCE } from './admitted.ts';

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
    ok(signed.amount > this.spending.signed);
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
        return steps.every((act) => {
          act(market);
          const { charged, reserved, authorized, balance } = market.credit;
          const held = reserved.reduce((sum, { maximum }) => sum + maximum, charged);
          return held <= authorized && authorized <= balance && market.spending.signed <= market.allowed;
        });
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

/** A buyer whose seller says anything: answers get lost, come late, and lie; the process dies; its key signs elsewhere. */
class Trial {
  spending = openSpending(BALANCE);
  /** What was asked for with this key, and one unit for each request that was refused or died with its process. */
  allowed = 0n;
  /** The amount of the highest voucher that anybody signed. */
  highest = 0n;
  onRecord = openSpending(BALANCE);
  readonly #open: Request[] = [];
  readonly #doubtful: Request[] = [];

  ask(maximum: bigint): void {
    if (this.#sign(maximum)) this.allowed += maximum;
  }

  /** The same request is signed again after a refusal: nothing more was asked for. */
  refuse(which: number): void {
    for (const { id, maximum } of taken(this.#open, which)) {
      this.#learn(learnCharge(this.spending, id, 0n));
      this.allowed += 1n;
      this.#sign(maximum);
    }
  }

  #sign(maximum: bigint): boolean {
    const signed = signNext(this.spending, maximum);
    if (signed === undefined) return false;
    this.spending = signed.next;
    this.#open.push({ id: signed.amount, maximum, cost: 0n });
    if (signed.amount > this.highest) this.highest = signed.amount;
    return true;
  }

  charge(which: number, cost: bigint): void {
    for (const request of taken(this.#open, which)) {
      const learned = learnCharge(this.spending, request.id, cost);
      ok((learned === undefined) === cost > request.maximum);
      if (learned === undefined) this.#open.push(request);
      this.#learn(learned);
    }
  }

  /** The receipt in the head of a stream, which goes on. */
  chargePart(which: number, cost: bigint): void {
    for (const { id, maximum } of taken(this.#open, which)) {
      const learned = learnPart(this.spending, id, cost);
      ok((learned === undefined) === cost > maximum);
      this.#open.push({ id, maximum: learned ? maximum - cost : maximum, cost: 0n });
      this.#learn(learned);
    }
  }

  lose(which: number): void {
    for (const request of taken(this.#open, which)) {
      this.spending = endInDoubt(this.spending, request.id);
      this.allowed += 1n;
      this.#doubtful.push(request);
    }
  }

  late(which: number, cost: bigint): void {
    for (const request of taken(this.#doubtful, which)) this.#learn(learnLate(this.spending, request, cost));
  }

  /** Percent of what was signed at most, and of that. */
  correct(percentSigned: bigint, percentCharged: bigint): void {
    const signed = (this.highest * percentSigned) / 100n;
    this.#learn(adopt(this.spending, { signed, charged: (signed * percentCharged) / 100n }));
  }

  record(): void {
    this.onRecord = this.spending;
  }

  crash(): void {
    this.allowed += BigInt(this.#open.length);
    this.#open.length = 0;
    this.#doubtful.length = 0;
    this.spending = resumeSpending({ ...this.onRecord, signedUpTo: this.highest });
  }

  #learn(next: ChannelSpending | undefined): void {
    if (next !== undefined) this.spending = next;
  }
}

const amount = oneof(bigInt(0n, 400n), bigInt(0n, 20_000n));
const lie = oneof(
  bigInt(1n, 300n).map((maximum) => (trial: Trial) => trial.ask(maximum)),
  nat().map((which) => (trial: Trial) => trial.refuse(which)),
  tuple(nat(), amount).map(
    ([which, cost]) =>
      (trial: Trial) =>
        trial.charge(which, cost),
  ),
  tuple(nat(), amount).map(
    ([which, cost]) =>
      (trial: Trial) =>
        trial.chargePart(which, cost),
  ),
  nat().map((which) => (trial: Trial) => trial.lose(which)),
  tuple(nat(), amount).map(
    ([which, cost]) =>
      (trial: Trial) =>
        trial.late(which, cost),
  ),
  tuple(bigInt(0n, 100n), bigInt(0n, 110n)).map(
    ([signed, charged]) =>
      (trial: Trial) =>
        trial.correct(signed, charged),
  ),
);
const fate = oneof(
  lie,
  bigInt(0n, 1n).map((which) => (trial: Trial) => (which === 0n ? trial.record() : trial.crash())),
);

describe('a buyer whose seller lies', () => {
  it('never signs more than it asked for, and one unit for each request that failed', () => {
    assert(
      property(array(lie, { maxLength: 200 }), (steps) => {
        const trial = new Trial();
        return steps.every((act) => {
          act(trial);
          return trial.spending.signed <= trial.allowed;
        });
      }),
      { numRuns: 2000 },
    );
  });

  it('nor does it after crashes', () => {
    assert(
      property(array(fate, { maxLength: 200 }), (steps) => {
        const trial = new Trial();
        return steps.every((act) => {
          act(trial);
          return trial.highest <= trial.allowed;
        });
      }),
      { numRuns: 2000 },
    );
  });

  it('does not believe a charge that its requests do not explain, however much it has signed', () => {
    const { next = openSpending(0n) } = signNext(openSpending(BALANCE), 100n) ?? {};
    const paid = learnCharge(next, 100n, 40n) ?? openSpending(0n);
    expect(adopt(paid, { charged: 41n, signed: 100n })).toBeUndefined();
    expect(adopt(paid, { charged: 9_000n, signed: 100n })).toBeUndefined();
    expect(adopt(paid, { charged: 40n, signed: 100n })).toEqual(paid);
  });

  it('does not believe a charge above the voucher that the seller shows, whatever is in doubt', () => {
    const { next = openSpending(0n) } = signNext(openSpending(BALANCE), 100n) ?? {};
    const { next: again = openSpending(0n) } = signNext(endInDoubt(next, 100n), 100n) ?? {};
    expect(again).toMatchObject({ signed: 101n, doubtful: 100n });
    expect(adopt(again, { charged: 102n, signed: 101n })).toBeUndefined();
    expect(adopt(again, { charged: 101n, signed: 101n })).toMatchObject({ charged: 100n, doubtful: 0n });
  });

  it('believes what another holder of its key has signed, up to that', () => {
    const fresh = openSpending(BALANCE);
    expect(adopt(fresh, { charged: 500n, signed: 500n })).toMatchObject({ charged: 500n, signed: 500n });
    expect(adopt(fresh, { charged: 501n, signed: 500n })).toBeUndefined();
  });

  it('takes a late receipt once, also if the seller has told of the charge before', () => {
    const { next = openSpending(0n) } = signNext(openSpending(BALANCE), 100n) ?? {};
    const lost = endInDoubt(next, 100n);
    const told = adopt(lost, { charged: 100n, signed: 100n }) ?? openSpending(0n);
    expect(told).toMatchObject({ charged: 100n, doubtful: 0n });
    expect(learnLate(told, { maximum: 100n }, 100n)).toMatchObject({ charged: 100n });
    expect(learnLate(lost, { maximum: 100n }, 100n)).toMatchObject({ charged: 100n, doubtful: 0n });
    expect(learnLate(lost, { maximum: 100n }, 101n)).toBeUndefined();
  });

  it('follows a stream whose receipt came before its cost: what it signs once it is told the sum is admitted', () => {
    const { amount: id = 0n, next = openSpending(0n) } = signNext(openSpending(BALANCE), 1000n) ?? {};
    const running = chargePart(admitted(openCredit(BALANCE), id, 1000n), id, 100n);
    const credit = charge(running, id, 700n);
    const read = endInDoubt(learnPart(next, id, 100n) ?? next, id);
    expect(read).toMatchObject({ charged: 100n, doubtful: 900n, underWay: [] });
    const { amount: refused = 0n, next: asked = read } = signNext(read, 1000n) ?? {};
    expect(admit(credit, { amount: refused, maximum: 1000n })).toBe('cumulative_amount_mismatch');
    const told = adopt(learnCharge(asked, refused, 0n) ?? asked, { charged: 800n, signed: 1000n }) ?? asked;
    expect(admitted(credit, signNext(told, 1000n)?.amount ?? 0n, 1000n).authorized).toBe(1800n);
  });

  it('learns what a stream has cost also while another one is under way', () => {
    const own = { charged: 100n, signed: 3000n, doubtful: 900n, underWay: [{ id: 2000n, maximum: 1000n }] };
    const spending = adopt({ deposit: BALANCE, ...own }, { charged: 800n, signed: 3000n });
    expect(spending).toMatchObject({ charged: 800n, doubtful: 200n });
    expect(adopt({ deposit: BALANCE, ...own }, { charged: 1500n, signed: 3000n })).toMatchObject({ charged: 1000n });
    expect(adopt({ deposit: BALANCE, ...own }, { charged: 2001n, signed: 3000n })).toBeUndefined();
  });
});
