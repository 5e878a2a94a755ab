// What is asked in each of some ten thousand steps is asked by Node's `ok`: `expect` takes more time than the step.
import { ok } from 'node:assert/strict';
import { array, assert, bigInt, boolean, constantFrom, nat, oneof, property, tuple } from 'fast-check';
import { expect, it } from 'vitest';
import { channelId } from '../../../src/batch-settlement/channel-config.ts';
import type { ChannelOnChain } from '../../../src/batch-settlement/client/channel-on-chain.ts';
import {
  type Answer,
  depositFailed,
  learnAnswer,
  learnOnChain,
  type LiveChannel,
  newLiveChannel,
  payWith,
  pendingDeposit,
  type SignedDeposit,
  takeTurn,
} from '../../../src/batch-settlement/client/live-channel.ts';
import { openSpending } from '../../../src/batch-settlement/client/channel-spending.ts';
import { admit, charge, type ChannelCredit, openCredit } from '../../../src/batch-settlement/server/channel-credit.ts';
import { signVoucher } from '../../../src/batch-settlement/voucher.ts';
import { config, sessionKey } from '../channel-fixture.ts';

const WINDOW = 20n;
const AMOUNT = 500n;

type How = 'served' | 'refused' | 'pending' | 'broken';
type Sent = Omit<Answer, 'outcome' | 'isRefusal' | 'reported'>;

/** A chain, an honest seller, and a buyer whose requests, answers, wallet and node are as slow as the test wants. */
class Market {
  channel: LiveChannel = newLiveChannel(config);
  credit: ChannelCredit = openCredit(0n);
  readonly #deposits: (SignedDeposit & { hasCome: boolean })[] = [];
  /** Requests that have no answer yet, and how much each that waits for a wallet may cost. */
  readonly #sent: Sent[] = [];
  readonly #signing: bigint[] = [];
  /** What a node showed in each round, and what the buyer has asked it. */
  readonly #shown: ChannelOnChain[] = [];
  readonly #asked: ChannelOnChain[] = [];
  /** Ids of the requests whose answers were lost. */
  readonly #unheard = new Set<bigint>();
  #round = 100n;
  state: ChannelOnChain['state'] = 'empty';

  constructor() {
    this.mines(1n);
  }

  get hasComeOf(): bigint {
    return this.#deposits.reduce((sum, { hasCome, amount }) => (hasCome ? sum + amount : sum), 0n);
  }

  asks(maximum: bigint, isLate: boolean): void {
    if (this.channel.isOver) return;
    const before = this.channel;
    const step = unlessRefused(() => takeTurn(before, maximum, isLate));
    if (step === undefined) return;
    const { channel, turn } = step;
    this.channel = channel;
    if (turn.does === 'wait') {
      ok(before.deposit !== 'none', 'nobody waits for nothing');
      ok(!isLate || before.deposit === 'signing', 'nobody waits longer than the offer allows');
    }
    if (turn.does === 'deposit') {
      ok(!this.#mayCome(), 'no other deposit is signed while one may come');
      this.#signing.push(maximum);
    }
    this.#leaves(turn, maximum);
  }

  #leaves(turn: ReturnType<typeof takeTurn>['turn'], maximum: bigint): void {
    if (turn.does !== 'pay') return;
    const pending = pendingDeposit(this.channel);
    const coming = turn.deposit?.txId === pending?.txId ? pending : undefined;
    ok(turn.amount <= this.channel.spending.deposit + (coming?.amount ?? 0n));
    if (coming) ok(coming.waitsFor === turn.amount, 'others wait for its answer');
    this.#sent.push({ request: { id: turn.amount, maximum }, txId: turn.deposit?.txId });
  }

  signs(isWilling: boolean): void {
    for (const maximum of this.#signing.splice(0)) {
      const txId = `deposit ${this.#deposits.length}`;
      const deposit = { paymentGroup: [], txId, amount: AMOUNT, lastValid: this.#round + WINDOW };
      const step = isWilling ? unlessRefused(() => payWith(this.channel, deposit, maximum)) : undefined;
      if (step === undefined) {
        this.channel = depositFailed(this.channel);
        continue;
      }
      const { channel, turn } = step;
      this.#deposits.push({ ...deposit, hasCome: false });
      this.channel = channel;
      this.#leaves(turn, maximum);
    }
  }

  /** The seller gets a request, and submits the deposit that comes with it, unless it would refuse the request anyway. */
  answers(which: number, how: How, isHeard: boolean): void {
    const [sent] = this.#sent.splice(which % Math.max(1, this.#sent.length), 1);
    if (sent === undefined) return;
    if (how === 'served' && this.#admits(sent, this.#addedBy(sent.txId))) this.comes(sent.txId);
    const isSettled = this.#deposits.every(({ txId, hasCome }) => txId !== sent.txId || hasCome);
    const credit = how === 'served' && this.state === 'open' && isSettled ? this.#admits(sent) : undefined;
    if (credit !== undefined) this.credit = charge(credit, sent.request.id, sent.request.maximum / 2n);
    if (isHeard) this.#hears(sent, how, credit !== undefined);
    else this.#unheard.add(sent.request.id);
  }

  #addedBy(sentWith: string | undefined): bigint {
    const deposit = this.#deposits.find(({ txId, hasCome }) => txId === sentWith && !hasCome);
    return deposit?.amount ?? 0n;
  }

  #admits({ request: { id: amount, maximum } }: Sent, added = 0n): ChannelCredit | undefined {
    const credit = admit({ ...this.credit, balance: this.hasComeOf + added }, { amount, maximum });
    return typeof credit === 'string' ? undefined : credit;
  }

  #hears(sent: Sent, how: How, isPaid: boolean): void {
    const { maximum } = sent.request;
    const refusal = how === 'served' || how === 'refused' ? 'refused' : 'unknown';
    const { charged, authorized: signed } = this.credit;
    const { signature } = signVoucher(sessionKey, channelId(config), signed);
    const { channel } = learnAnswer(this.channel, {
      ...sent,
      outcome: isPaid ? { event: 'charged', cost: maximum / 2n, goesOn: true } : { event: refusal },
      isRefusal: !isPaid && refusal === 'refused',
      reported: !isPaid && how === 'served' ? { charged, signed, signature } : undefined,
    });
    this.channel = channel;
  }

  /** A deposit is confirmed, if it still can be. */
  comes(txId: string | undefined): void {
    const deposit = this.#deposits.find((one) => one.txId === txId);
    if (deposit === undefined || deposit.hasCome || this.#round >= deposit.lastValid) return;
    if (this.state !== 'open' && this.hasComeOf > 0n) return;
    deposit.hasCome = true;
    this.state = 'open';
    this.mines(1n);
  }

  mines(rounds: bigint): void {
    this.#round += rounds;
    const balance = this.state === 'open' ? this.hasComeOf : 0n;
    this.#shown.push({ state: this.state, balance, since: this.#round, round: this.#round });
  }

  closes(state: 'empty' | 'handed-over'): void {
    if (this.state !== 'open') return;
    this.state = state;
    this.mines(1n);
  }

  /** The buyer asks its node, which may be behind, and gets the answer some time. */
  looks(behind: number): void {
    const shown = this.#shown.at(-1 - (behind % this.#shown.length));
    const isWorthIt = this.channel.isRefused || pendingDeposit(this.channel) !== undefined;
    if (shown && isWorthIt) this.#asked.push(shown);
  }

  sees(): void {
    for (const shown of this.#asked.splice(0)) this.channel = learnOnChain(this.channel, shown);
  }

  #mayCome(): boolean {
    return this.#deposits.some(({ hasCome, lastValid }) => !hasCome && lastValid > this.#round);
  }

  check(): void {
    const { deposit, charged, signed, underWay } = this.channel.spending;
    ok(deposit <= this.hasComeOf, 'what is confirmed has come');
    ok(charged <= signed);
    const awaited = [pendingDeposit(this.channel)?.request.id, ...this.#sent.map(({ request }) => request.id)];
    const isKept = underWay.every(({ id }) => awaited.includes(id) || this.#unheard.has(id));
    ok(isKept, 'nothing is kept for a request that has its answer');
    ok(!this.channel.isOver || !(this.state === 'open' || this.#mayCome()), 'nothing is left behind');
  }

  /** Everything works again: the wallet signs, the node is at the last round, and the seller answers all that comes. */
  isServedInTheEnd(): boolean {
    for (let again = 0; again < 6; again++) {
      this.signs(true);
      this.looks(0);
      this.sees();
      if (this.channel.isOver) return true;
      const { charged } = this.credit;
      this.asks(10n, true);
      this.signs(true);
      while (this.#sent.length > 0) this.answers(this.#sent.length - 1, 'served', true);
      if (this.credit.charged > charged) return true;
      this.mines(WINDOW);
    }
    return false;
  }
}

/** The step, unless the deposit does not cover the price. */
function unlessRefused<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch (error) {
    expect(error).toMatchObject({ code: 'spend_limit_exceeded' });
    return undefined;
  }
}

const step = oneof(
  { weight: 4, arbitrary: tuple(bigInt(1n, 200n), boolean()).map((how) => (market: Market) => market.asks(...how)) },
  { weight: 3, arbitrary: constantFrom(true, true, false).map((is) => (market: Market) => market.signs(is)) },
  {
    weight: 4,
    arbitrary: tuple(nat(9), constantFrom<How>('served', 'served', 'refused', 'pending', 'broken'), boolean()).map(
      (how) => (market: Market) => market.answers(...how),
    ),
  },
  { weight: 1, arbitrary: nat(9).map((which) => (market: Market) => market.comes(`deposit ${which}`)) },
  { weight: 1, arbitrary: bigInt(1n, 15n).map((rounds) => (market: Market) => market.mines(rounds)) },
  { weight: 3, arbitrary: nat(3).map((behind) => (market: Market) => market.looks(behind)) },
  { weight: 3, arbitrary: constantFrom((market: Market) => market.sees()) },
);
const closing = constantFrom('empty', 'handed-over').map((state) => (market: Market) => market.closes(state));

it.each([
  ['none', true],
  ['signing', false],
] as const)('a closed channel for which a wallet is asked for a deposit (%s) is over: %s', (deposit, isOver) => {
  const refused = { ...newLiveChannel(config), spending: openSpending(AMOUNT), isRefused: true, deposit };
  const shown = { state: 'empty', balance: 0n, since: 100n, round: 100n } as const;
  expect(learnOnChain(refused, shown).isOver).toBe(isOver);
});

it.each([
  [WINDOW, true],
  [WINDOW - 1n, false],
])('a channel without a deposit that its seller called settled is over once none can come: %s', (since, isOver) => {
  const spending = openSpending(2n * AMOUNT);
  const refused = { ...newLiveChannel(config), spending, confirmedBy: WINDOW, isRefused: true };
  const shown = { state: 'open', balance: 2n * AMOUNT - 1n, since, round: WINDOW + 1n } as const;
  expect(learnOnChain(refused, shown).isOver).toBe(isOver);
  expect(learnOnChain(refused, { ...shown, balance: 2n * AMOUNT }).isOver).toBe(false);
  expect(learnOnChain(refused, { ...shown, balance: 0n }).isOver, 'by a node that may be behind').toBe(false);
});

it.each([
  ['stays open', step],
  ['its seller closes', oneof({ weight: 20, arbitrary: step }, { weight: 1, arbitrary: closing })],
])(
  'one deposit at a time, what is confirmed has come, nobody waits for nothing, and a channel that %s pays in the end or is over',
  (_what, steps) => {
    let served = 0;
    assert(
      property(array(steps, { maxLength: 60 }), (acts) => {
        const market = new Market();
        for (const act of acts) {
          act(market);
          market.check();
        }
        expect(market.isServedInTheEnd()).toBe(true);
        if (!market.channel.isOver) served++;
      }),
      { numRuns: 500 },
    );
    expect(served).toBeGreaterThan(50);
  },
);
