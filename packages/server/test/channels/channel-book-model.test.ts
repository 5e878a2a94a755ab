import { randomBytes } from 'node:crypto';
import { array, assert, asyncProperty, bigInt, constantFrom, nat, oneof, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChannelBook } from '../../src/channels/record/channel-book.ts';
import type { AdmittedRequest } from '../../src/channels/record/live-channel.ts';
import { channel } from '../support/channels.ts';
import { type Fault, type FaultyStore, faultyChannelStore } from '../support/faulty-channel-store.ts';

const BALANCE = 2_000n;
const row = channel(1, { balance: BALANCE });

/** A request comes with a voucher so much above the highest one, or below it. */
interface Comes {
  readonly does: 'comes';
  readonly server: number;
  readonly above: bigint;
  readonly maximum: bigint;
}

/** One that is under way is charged a part of what it may cost, ends with a charge, or fails. */
interface GoesOn {
  readonly does: 'part' | 'end' | 'fail';
  readonly which: number;
  readonly percent: number;
}

/** The store fails at the next calls. */
interface Breaks {
  readonly does: 'break';
  readonly reads: readonly Fault[];
  readonly writes: readonly Fault[];
}

/** Everything that waits gets its turn. */
interface Rests {
  readonly does: 'rest';
}

type Step = Comes | GoesOn | Breaks | Rests;

const faults = array(constantFrom<Fault>('works', 'works', 'works', 'fails', 'answer is lost'), { maxLength: 4 });
const step = oneof(
  {
    weight: 5,
    arbitrary: record<Comes>({
      does: constantFrom('comes'),
      server: nat(1),
      above: bigInt({ min: -40n, max: 60n }),
      maximum: bigInt({ min: 0n, max: 50n }),
    }),
  },
  {
    weight: 6,
    arbitrary: record<GoesOn>({ does: constantFrom('part', 'end', 'end', 'fail'), which: nat(20), percent: nat(100) }),
  },
  { weight: 1, arbitrary: record<Breaks>({ does: constantFrom('break'), reads: faults, writes: faults }) },
  { weight: 2, arbitrary: record<Rests>({ does: constantFrom('rest') }) },
);

interface UnderWay {
  readonly admitted: AdmittedRequest;
  left: bigint;
}

/** A run of two servers on one store, and what a buyer and a seller see of it: vouchers, and answers. */
class Run {
  readonly #store: FaultyStore;
  readonly #servers: readonly ChannelBook[];
  readonly #underWay: UnderWay[] = [];
  readonly #pending: Promise<void>[] = [];
  #signed = 0n;
  #answered = 0n;
  readonly #answeredBy = new Map<bigint, AdmittedRequest>();

  constructor(store: FaultyStore) {
    this.#store = store;
    this.#servers = [0, 1].map(() => new ChannelBook({ store, now: () => 0, randomBytes }));
  }

  async do(one: Step): Promise<void> {
    if (one.does === 'comes') await this.#comes(one);
    else if (one.does === 'break') {
      this.#store.reads.push(...one.reads);
      this.#store.writes.push(...one.writes);
    } else if (one.does === 'rest') await rest();
    else this.#goesOn(one);
  }

  async #comes({ server, above, maximum }: Comes): Promise<void> {
    const amount = this.#signed + above;
    if (amount < 1n) return;
    const live = await this.#servers[server]?.find(row.channelId).catch(() => undefined);
    if (amount > this.#signed) this.#signed = amount;
    const admitted = live?.admit({ amount, signature: new Uint8Array(64), maximum });
    if (typeof admitted === 'object') this.#underWay.push({ admitted, left: maximum });
  }

  #goesOn({ does, which, percent }: GoesOn): void {
    const [request] = this.#underWay.splice(which % Math.max(1, this.#underWay.length), 1);
    if (request === undefined) return;
    if (does === 'fail') return request.admitted.release();
    const cost = (request.left * BigInt(percent)) / 100n;
    this.#pending.push(does === 'end' ? this.#end(request, cost) : this.#part(request, cost));
  }

  async #end({ admitted }: UnderWay, cost: bigint): Promise<void> {
    try {
      await admitted.end(cost);
      this.#answers(admitted, cost);
    } catch {
      // Withheld: the buyer got nothing.
    }
  }

  async #part(request: UnderWay, cost: bigint): Promise<void> {
    try {
      await request.admitted.charge(cost);
      request.left -= cost;
      this.#answers(request.admitted, cost);
      this.#underWay.push(request);
    } catch {
      request.admitted.release();
    }
  }

  #answers(admitted: AdmittedRequest, cost: bigint): void {
    expect(this.#answeredBy.get(admitted.amount) ?? admitted).toBe(admitted);
    this.#answeredBy.set(admitted.amount, admitted);
    this.#answered += cost;
  }

  /** The store works again, and everything has its end. Gives what was answered. */
  async check(): Promise<bigint> {
    this.#store.reads.length = 0;
    this.#store.writes.length = 0;
    while (this.#pending.length > 0) await Promise.all(this.#pending.splice(0));
    for (const { admitted } of this.#underWay) admitted.release();
    // What is taken back may still be read by a call that breaks.
    await rest();
    for (const server of this.#servers) await (await server.find(row.channelId))?.fresh();
    for (const server of this.#servers) await server.settleDoubts();
    await rest();
    const known = await this.#store.get(row.channelId);
    expect(known?.charged).toBe(this.#answered);
    expect(known?.authorized).toBeLessThanOrEqual(this.#signed < BALANCE ? this.#signed : BALANCE);
    expect(known?.charged).toBeLessThanOrEqual(known?.authorized ?? 0n);
    return this.#answered;
  }
}

async function rest(): Promise<void> {
  for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** What was answered in all. */
async function checkRun(steps: readonly Step[]): Promise<bigint> {
  const store = faultyChannelStore();
  await store.write([{ next: row }]);
  const run = new Run(store);
  for (const one of steps) await run.do(one);
  return run.check();
}

describe('a channel that pays two servers on one store, whatever the store does', () => {
  it('is charged what was answered, at most what was signed, and answers each voucher once', async () => {
    let answered = 0n;
    const steps = array(step, { maxLength: 80 });
    await assert(
      asyncProperty(steps, async (taken) => {
        answered += await checkRun(taken);
      }),
      { numRuns: 2_000 },
    );
    expect(answered).toBeGreaterThan(0n);
  }, 60_000);
});
