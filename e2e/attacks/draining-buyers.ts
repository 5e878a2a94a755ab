import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Account, accountFromSeed } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { createSqliteRedemptionStore } from '@avm402/server/sqlite';
import { type Program, startProgram } from '@avm402/stack/program';
import { USDC } from '@avm402/stack/balances';
import { expect } from 'vitest';
import { firstOffered, offerOf, paidHeaders, signPayment } from '../payment.ts';
import { ask } from './buyer.ts';
import { type Market, openMarket } from '../market.ts';
import { sendFrom } from '../send-from.ts';

/** Atomic units, and so millionths of a dollar. */
const PRICE = 10_000;
const REPLICAS = 3;
/** Each draining buyer asks every replica at once. */
const BOUNDS = { perPayment: 0.01, perPayer: 0.02, total: 0.3, lossPerHour: 0.2 };
const AT_RISK = Object.fromEntries(Object.entries(BOUNDS).map(([name, dollars]) => [name, `$${dollars}`]));
/** Longer than any payment of this market is valid. */
const ROUNDS = 1_010;
const LATER_MS = 120_000;

export interface Attack {
  readonly drainers: number;
  readonly honest: number;
  /** Waves of buyers, one after another; in the first and in every fifth, a replica is killed and started again. */
  readonly waves: number;
  /** Whether to wait until the replicas have learned the end of every payment. */
  readonly toTheEnd: boolean;
}

/** The buyers' answers, and the payments on chain. */
export interface Outcome {
  /** Payments whose answer was delivered and which no block holds. */
  readonly lost: readonly { readonly payer: string }[];
  readonly early: number;
  readonly honestServed: number;
}

interface Delivered {
  readonly payer: string;
  readonly txId: string;
  readonly isEarly: boolean;
}

/** Buyers who take the answer and spend the money elsewhere before its block, beside honest ones, at three replicas. */
export async function drain({ drainers, honest, waves, toTheEnd }: Attack): Promise<Outcome> {
  const market = await openMarket({ SETTLE_TIMEOUT_MS: '20000' }, { blocks: 'manual' });
  await using stage = new Stage(market, await mkdtemp(join(tmpdir(), 'at-risk-')));
  await stage.open();
  const delivered: Delivered[] = [];
  let honestServed = 0;
  for (let wave = 0; wave < waves; wave++) {
    const accounts = await stage.fund(drainers + honest, wave);
    const attackers = accounts.slice(0, drainers);
    const attacks = attackers.flatMap((by) => stage.replicas.map((replica) => stage.buy(by, replica.url)));
    const purchases = accounts.slice(drainers).map((by, index) => stage.buy(by, stage.urlOf(index)));
    // An account is drained at once after an early answer, in the same block.
    const drained = Promise.all(
      attacks.map(async (attack) => {
        const got = await attack;
        if (got?.isEarly) await stage.spendElsewhere(got, attackers);
        return got;
      }),
    );
    if (wave % 5 === 0) await stage.crash((wave / 5) % REPLICAS);
    const all = Promise.all([drained, Promise.all(purchases)]);
    const [taken, bought] = await stage.mineUntil(all);
    delivered.push(...[...taken, ...bought].filter((got) => got !== undefined));
    honestServed += bought.filter((got) => got !== undefined).length;
  }
  const inBlocks = await stage.confirmed();
  const lost = delivered.filter(({ txId }) => !inBlocks.has(txId));
  if (toTheEnd) await stage.learned();
  return { lost, early: delivered.filter(({ isEarly }) => isEarly).length, honestServed };
}

/** Compares the outcome with every bound. */
export function expectWithinBounds({ lost }: Outcome): void {
  const dollars = (count: number): number => (count * PRICE) / 1_000_000;
  expect(dollars(lost.length)).toBeLessThanOrEqual(Math.min(BOUNDS.total, BOUNDS.lossPerHour));
  for (const [, of] of Map.groupBy(lost, ({ payer }) => payer)) {
    expect(dollars(of.length)).toBeLessThanOrEqual(BOUNDS.perPayer);
  }
}

class Stage implements AsyncDisposable {
  readonly replicas: Program[] = [];
  readonly #market: Market;
  readonly #folder: string;
  readonly #algod: AlgodClient;

  constructor(market: Market, folder: string) {
    this.#market = market;
    this.#folder = folder;
    this.#algod = createAlgodClient({ url: market.node.url, token: market.node.token });
  }

  get #store(): string {
    return join(this.#folder, 'redemptions.sqlite');
  }

  async open(): Promise<void> {
    const starting = Array.from({ length: REPLICAS }, async () => void this.replicas.push(await this.#start(0)));
    await Promise.all(starting);
  }

  urlOf(index: number): string {
    return this.replicas[index % REPLICAS]?.url ?? '';
  }

  #start(aheadMs: number): Promise<Program> {
    const command = [fileURLToPath(new URL('early-shop.ts', import.meta.url))];
    const { facilitatorUrl: FACILITATOR_URL, accepts } = this.#market;
    const store = { STORE: this.#store, AT_RISK: JSON.stringify(AT_RISK), AHEAD_MS: String(aheadMs) };
    const environment = { FACILITATOR_URL, PAY_TO: accepts.payTo, ...store };
    return startProgram({ name: 'replica', command, environment, readyTimeoutMs: 60_000 });
  }

  /** Kills a replica in the middle of its work, and starts another one on the same store. */
  async crash(index: number): Promise<void> {
    await this.replicas[index]?.kill();
    this.replicas[index] = await this.#start(LATER_MS);
  }

  async fund(count: number, wave: number): Promise<readonly Account[]> {
    const { node } = this.#market;
    const accounts = Array.from({ length: count }, (_, index) => {
      const seed = new Uint8Array(32).fill(200 + wave);
      new DataView(seed.buffer).setUint32(0, index);
      return accountFromSeed(seed);
    });
    for (const { address } of accounts) {
      await node.fund(address, 10_000_000n);
      await node.deal(address, USDC, 1_000_000n);
    }
    return accounts;
  }

  /** Buys once; undefined if no answer came. */
  async buy(by: Account, url: string): Promise<Delivered | undefined> {
    try {
      const accepted = firstOffered(offerOf(await fetch(`${url}/goods`)));
      const payment = await signPayment(accepted, by, this.#algod);
      const { status, text, receipt } = await ask(`${url}/goods`, paidHeaders(payment));
      if (status !== 200 || text !== 'goods' || receipt === undefined) return undefined;
      return { payer: by.address, txId: receipt.transaction, isEarly: !receipt.success };
    } catch {
      // Its replica was killed.
      return undefined;
    }
  }

  /** Spends all the money first, as if another node had brought that payment to the block's proposer. */
  async spendElsewhere({ payer, txId }: Delivered, accounts: readonly Account[]): Promise<void> {
    const { node } = this.#market;
    await node.drop(txId).catch(() => undefined);
    const account = accounts.find(({ address }) => address === payer);
    const amount = node.balance(payer).assets.get(USDC) ?? 0n;
    if (account === undefined) return;
    const receiver = node.accounts.payer3.address;
    // A second payment that is drained finds nothing left to spend.
    await sendFrom(this.#algod, account, { type: 'axfer', receiver, assetId: USDC, amount }).catch(() => undefined);
  }

  async mineUntil<T>(awaited: Promise<T>): Promise<T> {
    const mining = setInterval(() => void this.#market.node.mine(), 250);
    try {
      return await awaited;
    } finally {
      clearInterval(mining);
    }
  }

  /** All TxIDs that any block holds, once no payment can get into one any more. */
  async confirmed(): Promise<ReadonlySet<string>> {
    const { node } = this.#market;
    const last = node.latestRound + 1n;
    await node.mine(ROUNDS);
    const found = new Set<string>();
    for (let round = 1n; round <= last; round++) {
      for (const txId of await this.#algod.blockTransactionIds(round)) found.add(txId);
    }
    return found;
  }

  /** Resolves when the replicas have learned the end of all that was at risk, the work of the killed ones included. */
  async learned(): Promise<void> {
    const store = createSqliteRedemptionStore({ path: this.#store });
    try {
      await expect.poll(async () => (await store.risks?.open())?.length, { timeout: 150_000 }).toBe(0);
    } finally {
      store.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const replica of this.replicas) await replica.kill();
    await this.#market[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
