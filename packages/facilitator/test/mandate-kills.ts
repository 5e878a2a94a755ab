import { accountFromSeed } from '@avm402/algorand/account';
import { decodeBase64 } from '@avm402/algorand/base64';
import { isAlgorandError } from '@avm402/algorand/errors';
import { decodeTransaction, type Transaction } from '@avm402/algorand/transaction';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import {
  ANY_RECEIVER,
  endMandateGroup,
  type MandateConfig,
  mandateAddress,
  MandateSlots,
  mandateWallet,
  openMandateGroup,
  signByMandate,
  windowEnd,
} from '@avm402/avm/mandate';
import { isX402Error } from '@avm402/core/errors';
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types';
import { seededRandom } from '@avm402/testkit/random';
import { expect } from 'vitest';
import { createMemorySettlementStore, type SettlementStore } from '../src/index.ts';
import { type DevnodeHarness, USDC } from './devnode-harness.ts';
import { MortalReplica } from './mortal-replica.ts';

const PRICE = 10_000n;
const FUNDS = 60_000n;
const STEPS = 8;
const agent = accountFromSeed(new Uint8Array(32).fill(42));

/** What happened in many sequences. */
export interface Kills {
  paid: number;
  refused: number;
  /** Payments that were not made, because the agent knew of no free slot. */
  exhausted: number;
  /** How often a facilitator, a seller or an agent's process died. */
  facilitators: number;
  sellers: number;
  agents: number;
  stolen: number;
}

type Random = (below: number) => number;

/**
 * An agent buys from a mandate while a thief has its key, its owner ends it, and processes die: the facilitator between
 * any two steps of a settlement, its store kept; the seller before it hears what was settled; the agent's with what it
 * knew of slots. After each sequence the seller has exactly what it was told, and the mandate lost no more than it may.
 */
export async function sellWhileProcessesDie(h: DevnodeHarness, sequences: number, seed: number): Promise<Kills> {
  const uniform = seededRandom(seed);
  const random: Random = (below) => Math.floor(uniform() * below);
  const kills: Kills = { paid: 0, refused: 0, exhausted: 0, facilitators: 0, sellers: 0, agents: 0, stolen: 0 };
  const store = createMemorySettlementStore();
  let replica = await startReplica(h, store);
  for (let sequence = 0; sequence < sequences; sequence += 1) {
    const scene = new Scene(h, await opened(h, BigInt(1 + random(3)), random), random, kills);
    const sold = h.usdc(h.requirements().payTo);
    const paid = kills.paid;
    for (let step = 0; step < STEPS; step += 1) replica = await scene.step(replica, () => startReplica(h, store));
    expect(h.usdc(h.requirements().payTo) - sold).toBe(PRICE * BigInt(kills.paid - paid));
  }
  await replica.close();
  return kills;
}

async function startReplica(h: DevnodeHarness, store: SettlementStore): Promise<MortalReplica> {
  const sponsorship = { account: h.account('facilitator'), payTo: [h.requirements().payTo], anyone: false };
  const node = { client: () => h.algod };
  const replica = new MortalReplica({ node, store, sponsorship, settleTimeoutMs: 200, leaseMs: 20 });
  await replica.facilitator.start();
  return replica;
}

async function opened(h: DevnodeHarness, slots: bigint, random: Random): Promise<MandateConfig> {
  const { genesisHash, lastRound } = await h.algod.params();
  const config: MandateConfig = {
    owner: h.account('payer').address,
    agent: agent.address,
    asset: USDC,
    cap: PRICE,
    slots,
    expiry: lastRound + 100_000n,
    receivers: ANY_RECEIVER,
    genesisHash,
    salt: Uint8Array.from({ length: 16 }, () => random(256)),
  };
  await sendByOwner(h, config, openMandateGroup(config, { amount: FUNDS }, await h.header()));
  return config;
}

async function sendByOwner(h: DevnodeHarness, config: MandateConfig, group: readonly Transaction[]): Promise<void> {
  const owner = h.account('payer');
  const sign = (txn: Transaction): Uint8Array =>
    txn.sender === owner.address ? owner.signTransaction(txn) : signByMandate(config, txn);
  await h.algod.sendRawTransaction(Buffer.concat(group.map(sign)));
}

/** One mandate, and what has left it. */
class Scene {
  readonly #h: DevnodeHarness;
  readonly #config: MandateConfig;
  readonly #random: Random;
  readonly #kills: Kills;
  readonly #lost = new Map<bigint, bigint>();
  #known: MandateSlots;
  #hasEnded = false;

  constructor(h: DevnodeHarness, config: MandateConfig, random: Random, kills: Kills) {
    this.#h = h;
    this.#config = config;
    this.#random = random;
    this.#kills = kills;
    this.#known = new MandateSlots(config.slots);
  }

  /** One step of somebody; resolves to the facilitator that lives after it. */
  async step(replica: MortalReplica, restart: () => Promise<MortalReplica>): Promise<MortalReplica> {
    const kind = this.#random(20);
    if (kind < 2) return this.#forget(replica);
    if (kind < 5) return this.#steal().then(() => replica);
    if (kind < 7) return this.#h.devnode.mine(1 + this.#random(400)).then(() => replica);
    if (kind < 8 && !this.#hasEnded) return this.#end().then(() => replica);
    return this.#buy(replica, restart);
  }

  #forget(replica: MortalReplica): MortalReplica {
    this.#known = new MandateSlots(this.#config.slots);
    this.#kills.agents += 1;
    return replica;
  }

  async #end(): Promise<void> {
    await sendByOwner(this.#h, this.#config, endMandateGroup(this.#config, await this.#h.header()));
    this.#hasEnded = true;
  }

  /** The thief pays somebody else in any slot, and leads the group itself. */
  async #steal(): Promise<void> {
    const thief = this.#h.account('payer2');
    const requirements = this.#h.requirements({
      payTo: this.#h.account('payer').address,
      extra: { feePayer: thief.address },
    });
    const slot = BigInt(1 + this.#random(Number(this.#config.slots)));
    const [fee, payment] = membersOf(await this.#payment(requirements, () => slot));
    if (fee === undefined || payment === undefined) throw new Error('a sponsored group has two members');
    const before = this.#held();
    const group = Buffer.concat([thief.signTransaction(decodeTransaction(fee)), payment]);
    await this.#h.algod.sendRawTransaction(group).catch((error: unknown) => {
      if (!isAlgorandError(error, 'algod_refused')) throw error;
    });
    if (this.#count(before) > 0n) this.#kills.stolen += 1;
  }

  async #buy(replica: MortalReplica, restart: () => Promise<MortalReplica>): Promise<MortalReplica> {
    const requirements = this.#h.requirements();
    const before = this.#held();
    const payment = await this.#payment(requirements, (lastRound, until) => this.#known.take(lastRound, until)).catch(
      (error: unknown) => {
        if (isX402Error(error, 'mandate_exhausted')) return undefined;
        throw error;
      },
    );
    if (payment === undefined) {
      this.#kills.exhausted += 1;
      return replica;
    }
    const idempotencyKey = `a purchase ${this.#random(2 ** 31)} ${this.#random(2 ** 31)}`;
    const settle = async (by: MortalReplica): Promise<SettleResponse> =>
      by.facilitator.settle(payment, requirements, { idempotencyKey });
    if (this.#random(2) === 0) {
      replica.dieAfter({ step: 1 + this.#random(12), effect: this.#random(2) === 0 ? 'before' : 'after' });
    }
    let living = replica;
    let told = await Promise.race([settle(living), living.died]);
    while (told === 'died' || told.errorReason === 'settlement_pending') {
      if (told === 'died') {
        this.#kills.facilitators += 1;
        living = await restart();
      } else await this.#h.devnode.mine(1);
      told = await Promise.race([settle(living), living.died]);
    }
    // A death that was to come later belongs to this purchase only.
    living.dieAfter({ step: Number.POSITIVE_INFINITY, effect: 'before' });
    if (this.#random(4) === 0) {
      this.#kills.sellers += 1;
      expect((await settle(living)).success).toBe(told.success);
    }
    const lost = this.#count(before);
    expect(lost).toBe(told.success ? PRICE : 0n);
    if (told.success) this.#kills.paid += 1;
    else this.#kills.refused += 1;
    return living;
  }

  async #payment(
    requirements: PaymentRequirements,
    takeSlot: (lastRound: bigint, until: bigint) => bigint,
  ): Promise<PaymentPayload> {
    const account = mandateWallet({ mandate: this.#config, agent, takeSlot });
    const client = new ExactAvmClient({ account, algod: () => this.#h.algod });
    return { ...(await client.createPaymentPayload(2, requirements)), accepted: requirements };
  }

  #held(): bigint {
    return this.#h.usdc(mandateAddress(this.#config));
  }

  /** What has left the mandate since; never more in a window than its slots allow, and nothing after its end. */
  #count(before: bigint): bigint {
    const loss = before - this.#held();
    if (this.#hasEnded) expect([loss, this.#held()]).toEqual([0n, 0n]);
    const window = windowEnd(this.#h.devnode.latestRound);
    const lost = (this.#lost.get(window) ?? 0n) + loss;
    this.#lost.set(window, lost);
    expect(lost).toBeLessThanOrEqual(this.#config.slots * this.#config.cap);
    return loss;
  }
}

function membersOf({ payload }: PaymentPayload): Uint8Array[] {
  return (payload['paymentGroup'] as string[]).map((member) => decodeBase64(member) ?? new Uint8Array());
}
