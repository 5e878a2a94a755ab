import { array, assert, bigInt, constantFrom, nat, oneof, property, record } from 'fast-check';
import { expect, it } from 'vitest';
import {
  admitted,
  type ChannelRecord,
  type Command,
  isSettled,
  next,
  recordOf,
  type RecordEvent,
  released,
} from '../../src/channels/record/channel-record.ts';
import type { Channel, ChannelRequest } from '../../src/channels/record/channel.ts';
import type { ChannelStep } from '../../src/channels/record/channel-step.ts';
import { channel, request } from '../support/channels.ts';
import type { Fault } from '../support/faulty-channel-store.ts';

const BALANCE = 80n;
const signature = new Uint8Array(64);

/** Few amounts, so that vouchers come again, and to both servers. */
const amount = bigInt({ min: 1n, max: 8n }).map((tens) => tens * 10n);
const fault = constantFrom<Fault>('works', 'works', 'fails', 'answer is lost');

/** A request that is under way is charged a part of what it may cost, ends with a charge, or fails. */
interface GoesOn {
  readonly does: 'part' | 'end' | 'fail';
  readonly which: number;
  readonly percent: number;
}

type Turn =
  | { readonly does: 'comes'; readonly amount: bigint; readonly maximum: bigint }
  | GoesOn
  /** A deposit of several requests comes as often. */
  | { readonly does: 'deposit'; readonly txId: string }
  | { readonly does: 'look' }
  /** Another server charges a request of its own. */
  | { readonly does: 'elsewhere'; readonly amount: bigint; readonly cost: bigint }
  /** What the record asked for goes one step on. */
  | { readonly does: 'store'; readonly fault: Fault };

const turn = oneof(
  {
    weight: 4,
    arbitrary: record({ does: constantFrom('comes' as const), amount, maximum: bigInt({ min: 0n, max: 9n }) }),
  },
  {
    weight: 5,
    arbitrary: record<GoesOn>({
      does: constantFrom('part', 'end', 'end', 'fail'),
      which: nat(20),
      percent: nat(100),
    }),
  },
  { weight: 1, arbitrary: record({ does: constantFrom('deposit' as const), txId: constantFrom('A', 'B', 'C') }) },
  { weight: 1, arbitrary: constantFrom<Turn>({ does: 'look' }) },
  {
    weight: 1,
    arbitrary: record({ does: constantFrom('elsewhere' as const), amount, cost: bigInt({ min: 0n, max: 9n }) }),
  },
  { weight: 8, arbitrary: record({ does: constantFrom('store' as const), fault }) },
);

interface UnderWay {
  readonly amount: bigint;
  charge: bigint;
  left: bigint;
}

/** What is on record: the row, its requests and the deposits that it counts. */
interface Stored {
  readonly row: Channel;
  readonly requests: ReadonlyMap<bigint, ChannelRequest>;
  readonly deposits: ReadonlySet<string>;
}

/** A read under way: the row is read before all that belongs to it. */
interface Loading {
  readonly command: Extract<Command, { do: 'load' }>;
  row?: Channel;
}

/** A store, the record that one server keeps of its channel, and what its callers are told. */
class World {
  stored: Stored = { row: channel(1, { balance: BALANCE }), requests: new Map(), deposits: new Set() };
  known: ChannelRecord = recordOf(this.stored.row, [], 'aa');
  /** What was answered, here and elsewhere. */
  answered = 0n;
  /** Deposits that were told as counted. One that was refused is settled all the same, and may be. */
  readonly #counted: string[] = [];
  readonly #underWay: UnderWay[] = [];
  readonly #untold = new Map<ChannelStep, (isRecorded: boolean) => void>();
  #isSubmitted = false;
  #loading: Loading | undefined;

  take(one: Turn): void {
    if (one.does === 'comes') this.#comes(one.amount, one.maximum);
    else if (one.does === 'store') this.#goOn(one.fault);
    else if (one.does === 'elsewhere') this.#elsewhere(one.amount, one.cost);
    else if (one.does === 'look') this.#tell({ type: 'looked' });
    else if (one.does === 'deposit') this.#deposit(one.txId);
    else this.#charge(one);
  }

  /** The store works, and everything has its end. */
  finish(): void {
    this.#settle();
    for (const { amount: id } of this.#underWay.splice(0)) this.known = released(this.known, id);
    this.#tell({ type: 'looked' });
    this.#settle();
    expect([...this.#untold.values()], 'everybody is told').toEqual([]);
    expect(this.known.credit.reserved).toEqual([]);
    const { row, deposits } = this.stored;
    expect(this.known.row).toEqual(row);
    expect(row.charged, 'what was answered is charged').toBe(this.answered);
    expect(row.balance, 'a deposit is counted once').toBe(BALANCE + 10n * BigInt(deposits.size));
    for (const txId of this.#counted) expect(deposits).toContain(txId);
  }

  #settle(): void {
    for (let steps = 0; this.#isSubmitted || this.#loading || this.known.change; steps++) {
      expect(steps, 'it comes to rest').toBeLessThan(100);
      this.#goOn('works');
    }
    expect(isSettled(this.known)).toBe(true);
  }

  #comes(id: bigint, maximum: bigint): void {
    const after = admitted(this.known, { amount: id, signature, maximum });
    if (typeof after === 'string') return;
    this.known = after;
    const { charged, reserved, authorized, balance } = after.credit;
    const promised = reserved.reduce((sum, one) => sum + one.maximum, charged);
    expect(promised <= authorized && authorized <= balance, 'what is served can be claimed').toBe(true);
    this.#underWay.push({ amount: id, charge: 0n, left: maximum });
  }

  #charge({ does, which, percent }: GoesOn): void {
    const [one] = this.#underWay.splice(which % Math.max(1, this.#underWay.length), 1);
    if (one === undefined) return;
    if (does === 'fail') return void (this.known = released(this.known, one.amount));
    const cost = (one.left * BigInt(percent)) / 100n;
    one.charge += cost;
    one.left -= cost;
    const charged: ChannelRequest = request(one.amount, { charge: one.charge });
    this.#ask({ kind: 'charge', request: charged, cost, at: 0 }, (isRecorded) => {
      if (isRecorded) this.answered += cost;
      if (does === 'part' && isRecorded) this.#underWay.push(one);
      else if (does === 'part') this.known = released(this.known, one.amount);
    });
    if (does === 'end') this.known = released(this.known, one.amount);
  }

  #deposit(txId: string): void {
    this.#ask({ kind: 'deposit', txId, amount: 10n }, (isRecorded) => {
      if (isRecorded) this.#counted.push(txId);
    });
  }

  #elsewhere(id: bigint, cost: bigint): void {
    const { row, requests } = this.stored;
    const authorized = row.authorized > id ? row.authorized : id;
    if (requests.has(id) || id > row.balance || row.charged + cost > authorized) return;
    const charged = row.charged + cost;
    this.stored = {
      ...this.stored,
      row: { ...row, version: row.version + 1, authorized, signature, charged },
      requests: new Map([...requests, [id, request(id, { charge: cost, owner: 'bb' })]]),
    };
    this.answered += cost;
  }

  #ask(step: ChannelStep, told: (isRecorded: boolean) => void): void {
    this.#untold.set(step, told);
    this.#tell({ type: 'asked', step });
  }

  #tell(event: RecordEvent): void {
    const { record: after, commands } = next(this.known, event);
    this.known = after;
    for (const command of commands) this.#do(command);
  }

  #do(command: Command): void {
    if (command.do === 'submit') this.#isSubmitted = true;
    else if (command.do === 'load') {
      expect([this.#loading, this.known.change], 'one thing at a time').toEqual([undefined, undefined]);
      this.#loading = { command };
    } else {
      const told = this.#untold.get(command.step);
      // What is taken back was asked by nobody.
      if (command.step.kind === 'undo') return;
      expect(told, 'each is told once').toBeDefined();
      this.#untold.delete(command.step);
      told?.(command.do === 'tell');
    }
  }

  #goOn(what: Fault): void {
    if (this.known.change !== undefined) this.#write(what);
    else if (this.#loading !== undefined) this.#load(this.#loading, what);
    else if (this.#isSubmitted) {
      this.#isSubmitted = false;
      this.#tell({ type: 'due' });
    }
  }

  #write(what: Fault): void {
    const change = this.known.change;
    if (change === undefined) return;
    const { row } = this.stored;
    const isOutdated = change.previous !== row.version || change.deposits?.some((id) => this.stored.deposits.has(id));
    if (what !== 'fails' && !isOutdated) {
      const { next: written, requests = [], deposits = [] } = change;
      expect(written.charged <= written.authorized && written.authorized <= written.balance).toBe(true);
      this.stored = {
        row: written,
        requests: new Map([...this.stored.requests, ...requests.map((one) => [one.amount, one] as const)]),
        deposits: new Set([...this.stored.deposits, ...deposits]),
      };
    }
    if (what !== 'works') this.#tell({ type: 'failed', error: new Error(what) });
    else this.#tell({ type: isOutdated ? 'outdated' : 'written' });
  }

  #load(loading: Loading, what: Fault): void {
    if (what !== 'works') {
      this.#loading = undefined;
      return this.#tell({ type: 'loadFailed', error: new Error(what) });
    }
    if (loading.row === undefined) return void (loading.row = this.stored.row);
    this.#loading = undefined;
    const { requests, deposits } = this.stored;
    this.#tell({
      type: 'loaded',
      row: loading.row,
      remembered: [...requests.values()],
      deposits: new Set(loading.command.deposits.filter((txId) => deposits.has(txId))),
    });
  }
}

it('a channel is charged what was answered, whatever writes and reads are lost, and tells each caller once', () => {
  let answered = 0n;
  const run = property(array(turn, { maxLength: 80 }), (turns) => {
    const world = new World();
    for (const one of turns) world.take(one);
    world.finish();
    answered += world.answered;
  });
  assert(run, { numRuns: 1_000 });
  expect(answered).toBeGreaterThan(0n);
}, 60_000);

it('a charge is not taken back with the one that failed before it, though both were written by a write whose answer is lost', () => {
  const comes = { does: 'comes', amount: 10n, maximum: 7n } as const;
  const end = { does: 'end', which: 0, percent: 100 } as const;
  const store = (...faults: Fault[]): Turn[] => faults.map((what) => ({ does: 'store', fault: what }));
  const world = new World();
  const turns = [comes, end, ...store('works', 'answer is lost', 'fails'), comes, end];
  for (const one of turns) world.take(one);
  // It is read, both are written, and it is read again.
  for (const one of store('works', 'works', 'works', 'answer is lost')) world.take(one);
  world.finish();
  expect(world.answered).toBe(7n);
});
