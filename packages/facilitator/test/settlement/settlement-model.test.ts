import type { SettleResponse } from '@x402/core/types';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemorySettlementStore } from '../../src/index.ts';
import { settle } from '../harness.ts';
import { ModelChain, ModelNode } from '../model-chain.ts';
import { type ModelPayment, modelPayment } from '../model-payment.ts';
import { type Death, MortalReplica } from '../mortal-replica.ts';

const KEYS = [undefined, 'the first of two keys', 'the second of two keys'] as const;
/** The short form; more runs are for the night. */
const RUNS = Number(process.env['FC_NUM_RUNS'] ?? 40);
const PAYMENTS = 3;
const REPLICAS = 2;
const WINDOW = 30n;

/** What the outside can see of one payment; the store is not asked. */
interface Witness {
  readonly payment: ModelPayment;
  readonly successes: Map<string | undefined, number>;
  /** Whether it is in the chain because somebody else brought it there. */
  stolen: boolean;
  /**
   * Whether it was in a block before any facilitator was asked to settle it. If it was only in the pool and our own
   * submission was lost, nobody can tell whose submission it was.
   */
  stolenFirst: boolean;
  wasAsked: boolean;
  calledExpired: boolean;
}

/** Facilitators that share a store, on a chain, in a world where everything goes wrong. */
class World {
  readonly chain = new ModelChain({ instant: false });
  readonly node = new ModelNode(this.chain);
  readonly witnesses: Witness[];
  replicas: MortalReplica[];
  #clock = 1_000_000;
  readonly #store = createMemorySettlementStore({ now: () => this.#clock });

  constructor() {
    this.chain.mine(10);
    this.replicas = Array.from({ length: REPLICAS }, () => this.#newReplica());
    this.witnesses = Array.from({ length: PAYMENTS }, (_, index) => ({
      payment: modelPayment(this.chain, { rounds: WINDOW, payerSeed: index + 1 }),
      successes: new Map(),
      stolen: false,
      stolenFirst: false,
      wasAsked: false,
      calledExpired: false,
    }));
  }

  async settle(witness: Witness, key: string | undefined, replicaIndex: number): Promise<SettleResponse | 'died'> {
    const replica = this.replicas[replicaIndex % REPLICAS] ?? this.#newReplica();
    if (!witness.wasAsked) witness.stolenFirst = this.chain.roundOf(witness.payment.txId) !== undefined;
    witness.wasAsked = true;
    const answer = await Promise.race([replica.died, settle(replica.facilitator, witness.payment, key).catch(refused)]);
    if (answer === 'died') this.#replaceDead();
    else this.#hear(witness, key, answer);
    return answer;
  }

  steal(witness: Witness): void {
    try {
      this.chain.submit(witness.payment.bytes);
      witness.stolen = true;
    } catch {
      // It is there already, or its time is over.
    }
  }

  kill(replicaIndex: number): void {
    this.replicas[replicaIndex % REPLICAS]?.kill();
    this.#replaceDead();
  }

  /** Time passes, so that leases run out: those of the dead, and those of whoever was slow. */
  sleep(ms: number): void {
    this.#clock += ms;
  }

  /** All faults end, and every payment's window is over. */
  async calmDown(): Promise<void> {
    this.node.fault = () => undefined;
    this.chain.broke.clear();
    for (const replica of this.replicas) replica.kill();
    this.sleep(60_000);
    this.#replaceDead();
    for (let round = 0n; round < WINDOW + 20n; round++) {
      this.chain.mine();
      await tick();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.close()));
  }

  #hear(witness: Witness, key: string | undefined, answer: SettleResponse): void {
    const { txId, lastValid } = witness.payment;
    if (answer.success) {
      expect(this.chain.roundOf(txId), 'a success is in a block').toBeDefined();
      expect(witness.stolenFirst, 'what somebody else brought to the chain is no payment').toBe(false);
      witness.successes.set(key, (witness.successes.get(key) ?? 0) + 1);
      expect([...witness.successes.keys()], 'one caller has the success').toHaveLength(1);
      if (key === undefined) expect(witness.successes.get(key), 'without a key the success is handed out once').toBe(1);
    }
    if (answer.errorReason === 'settlement_expired') {
      expect(this.chain.lastRound >= lastValid, 'it does not expire early').toBe(true);
      expect(this.chain.roundOf(txId), 'what expired is in no block').toBeUndefined();
      witness.calledExpired = true;
    }
  }

  #replaceDead(): void {
    this.replicas = this.replicas.map((replica) => (replica.isAlive ? replica : this.#newReplica()));
  }

  #newReplica(): MortalReplica {
    return new MortalReplica({ node: this.node, store: this.#store, settleTimeoutMs: 15 });
  }
}

const refused = (error: unknown): SettleResponse => ({
  success: false,
  errorReason: error instanceof Error ? error.name : 'unknown',
  transaction: '',
  network: 'algorand:none',
});

const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

interface Step {
  readonly name: string;
  readonly run: (world: World) => Promise<void> | void;
}

const payment = fc.nat(PAYMENTS - 1);
const replica = fc.nat(REPLICAS - 1);
const key = fc.constantFrom(...KEYS);
const death: fc.Arbitrary<Death> = fc.record({
  step: fc.integer({ min: 1, max: 14 }),
  effect: fc.constantFrom('before', 'after'),
});

function witnessAt(world: World, index: number): Witness {
  const witness = world.witnesses[index];
  if (witness === undefined) throw new TypeError('no such payment');
  return witness;
}

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(payment, key, replica).map(([index, chosen, at]) => ({
      name: `settle payment ${index} with ${chosen ?? 'no key'} at ${at}`,
      run: async (world: World) => void (await world.settle(witnessAt(world, index), chosen, at)),
    })),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(payment, key, replica, death).map(([index, chosen, at, end]) => ({
      name: `settle payment ${index} with ${chosen ?? 'no key'} at ${at}, dying ${end.effect} step ${end.step}`,
      run: async (world: World) => {
        world.replicas[at]?.dieAfter(end);
        await world.settle(witnessAt(world, index), chosen, at);
      },
    })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(payment, fc.array(fc.tuple(key, replica), { minLength: 2, maxLength: 6 }))
      .map(([index, all]) => ({
        name: `settle payment ${index} ${all.length} times at once`,
        run: async (world: World) => {
          await Promise.all(all.map(([chosen, at]) => world.settle(witnessAt(world, index), chosen, at)));
        },
      })),
  },
  {
    weight: 4,
    arbitrary: fc.integer({ min: 1, max: 12 }).map((count) => ({
      name: `${count} blocks`,
      run: async (world: World) => {
        world.chain.mine(count);
        await tick();
      },
    })),
  },
  {
    weight: 1,
    arbitrary: payment.map((index) => ({
      name: `payment ${index} is submitted by somebody else`,
      run: (world: World) => world.steal(witnessAt(world, index)),
    })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('lost before', 'lost after', undefined).map((fault) => ({
      name: `submissions are ${fault ?? 'answered'}`,
      run: (world: World) => {
        world.node.fault = (method) => (method === 'sendRawTransaction' ? fault : undefined);
      },
    })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(payment, fc.boolean()).map(([index, isBroke]) => ({
      name: `payer ${index} ${isBroke ? 'has nothing' : 'has enough'}`,
      run: (world: World) => {
        const { address } = witnessAt(world, index).payment.payer;
        if (isBroke) world.chain.broke.add(address);
        else world.chain.broke.delete(address);
      },
    })),
  },
  { weight: 1, arbitrary: replica.map((at) => ({ name: `kill ${at}`, run: (world: World) => world.kill(at) })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(100, 20_000).map((ms) => ({ name: `${ms} ms`, run: (world: World) => world.sleep(ms) })),
  },
);

/** A counterexample is read by its names. */
function withText(story: readonly Step[]): readonly Step[] {
  return Object.assign([...story], { [fc.toStringMethod]: () => story.map(({ name }) => `\n  ${name}`).join('') });
}

/** After everything: whoever settled first can collect, and nobody was told of an end that was none. */
async function assertNothingIsLost(world: World): Promise<void> {
  await world.calmDown();
  for (const witness of world.witnesses) {
    const round = world.chain.roundOf(witness.payment.txId);
    if (witness.calledExpired) expect(round, 'what expired stays out of the blocks').toBeUndefined();
    if (round === undefined || witness.stolen) continue;
    const answers: (SettleResponse | 'died')[] = [];
    for (const chosen of KEYS) answers.push(await settleUntilAnswered(world, witness, chosen));
    const reasons = answers.map((answer) => (answer === 'died' ? answer : (answer.errorReason ?? 'success')));
    const collected = witness.successes.size === 1;
    const handedOut = reasons.every((reason) => reason === 'duplicate_settlement');
    expect({ collected: collected || handedOut, reasons }).toMatchObject({ collected: true });
  }
}

/** Asks again while the outcome is open: on a busy machine one call's patience may be over before it is known. */
async function settleUntilAnswered(world: World, witness: Witness, chosen: string | undefined) {
  for (let attempt = 0; ; attempt++) {
    const answer = await world.settle(witness, chosen, 0);
    const isOpen = answer !== 'died' && answer.errorReason === 'settlement_pending';
    if (!isOpen || attempt === 100) return answer;
  }
}

describe('settling, whatever happens', () => {
  it(
    'hands out each payment once, to one caller, and loses none',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 25 }).map(withText), async (story) => {
          const world = new World();
          try {
            for (const { run } of story) await run(world);
            await assertNothingIsLost(world);
          } finally {
            await world.close();
          }
        }),
        { numRuns: RUNS },
      );
    },
    60_000 + RUNS * 250,
  );
});
