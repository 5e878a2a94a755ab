import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { accountFromSeed, encodePrivateKey, parseAccount } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { createPayer } from '@avm402/client';
import { openFileChannelStore } from '@avm402/client/file-channel-store';
import { createDevControls, developmentAccounts } from '@avm402/devnode';
import { freePort } from '@avm402/stack/free-port';
import { type Program, startProgram } from '@avm402/stack/program';
import { NODE_TOKEN, startFacilitator, startNode, startWeather } from '@avm402/stack/programs';
import { USDC, usdcOf } from '@avm402/stack/balances';
import { seededRandom } from '@avm402/testkit/random';
import type { Buyer as PayingBuyer, BuyerJob } from './buyer-program.ts';
import { Squatter, type SquatterReport } from './squatter.ts';

const ROUND_MS = 20;
/** The weather server's price of a word, in atomic units; a day has five words. */
const PRICE_OF_DAY = 5n * 60n;

export interface KillsOptions {
  readonly seed: number;
  readonly channels: number;
  /** The fewest requests that each channel pays for. */
  readonly requestsPerChannel: number;
  /** The fewest kills; the server, the facilitator and the buyers' process take turns. */
  readonly kills: number;
  /** Milliseconds between two kills, on average. */
  readonly killEveryMs: number;
  /** Time from block to block, as the node's option says it. Default: a block at once for each group. */
  readonly blockTime?: string;
}

/** The money of one buyer as its callers and the chain report it, in atomic units. */
interface BuyerAccount {
  readonly name: string;
  readonly answers: number;
  /** Charged, by the receipts of its answers. */
  readonly charged: bigint;
  /** Answers whose receipt says another charge than the words cost. */
  readonly wrong: number;
  /** Most that requests cost whose answer nobody has: its process was killed under them, or gave up. */
  readonly unanswered: bigint;
  /** Paid on the chain, once every channel is closed. */
  readonly spent: bigint;
}

export interface KillsReport {
  readonly kills: Readonly<Record<'server' | 'facilitator' | 'buyer', number>>;
  readonly buyers: readonly BuyerAccount[];
  /** Received by the seller on the chain. */
  readonly received: bigint;
  readonly failures: Readonly<Record<string, number>>;
  /** µAlgo that the sponsor has out after all: fees, and what channels still hold. */
  readonly sponsorSpent: bigint;
  readonly squatter: SquatterReport;
  readonly seconds: number;
}

interface Buyer extends PayingBuyer {
  readonly address: string;
}

/**
 * Pays through many channels while the server, the facilitator and the buyers' process are killed again and again, then
 * closes every channel, and tells what everybody has.
 */
export async function payWhileKilling(options: KillsOptions): Promise<KillsReport> {
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'avm402-kills-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const node = scope.use(
    await startNode(...(options.blockTime === undefined ? [] : ['--block-time', options.blockTime])),
  );
  const access = { url: node.url, token: NODE_TOKEN };
  const algod = createAlgodClient(access);
  const buyers = await fundedBuyers(options, folder, access);
  // Below those that connections get, and not those of another run: they stay free while a program is dead.
  const portsFrom = 20_000 + (process.pid % 10_000);
  const facilitatorPort = String(await freePort(portsFrom));
  const weatherPort = String(await freePort(portsFrom + 100));
  const facilitator = new Mortal(() =>
    startFacilitator(node.url, { SETTLEMENT_STORE: join(folder, 'settlements.sqlite'), PORT: facilitatorPort }),
  );
  scope.use(facilitator);
  await facilitator.start();
  const server = new Mortal(() =>
    startWeather(facilitator.url, { CHANNEL_STORE: join(folder, 'channels.sqlite'), PORT: weatherPort }),
  );
  scope.use(server);
  await server.start();
  const ledger = new Answers(buyers);
  const job = { url: `${server.url}/forecast`, algod: access, buyers };
  const buying = new Mortal(() => startBuyers(job));
  scope.use(buying);
  const before = await holdings(algod, buyers);
  const sponsor = developmentAccounts().facilitator.address;
  const sponsorBefore = (await algod.account(sponsor)).amount;
  const start = performance.now();
  const squatter = scope.use(new Squatter(algod, facilitator.url));
  const kills = await killUntilDone({ server, facilitator, buyer: buying }, ledger, options);
  for (const buyer of buyers) await closeChannels(buyer, access);
  const after = await holdings(algod, buyers);
  return {
    kills,
    buyers: ledger.accounts((name) => (before.of.get(name) ?? 0n) - (after.of.get(name) ?? 0n)),
    received: after.seller - before.seller,
    failures: ledger.failures,
    sponsorSpent: sponsorBefore - (await algod.account(sponsor)).amount,
    squatter: squatter.report,
    seconds: (performance.now() - start) / 1000,
  };
}

/** A program that is killed and started again. */
class Mortal implements AsyncDisposable {
  readonly #start: () => Promise<Program>;
  #program: Program | undefined;

  constructor(start: () => Promise<Program>) {
    this.#start = start;
  }

  get url(): string {
    return this.#program?.url ?? '';
  }

  get output(): string {
    return this.#program?.output() ?? '';
  }

  async start(): Promise<void> {
    this.#program = await this.#start();
  }

  async kill(): Promise<void> {
    await this.#program?.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program?.stop();
  }
}

function startBuyers(job: BuyerJob): Promise<Program> {
  return startProgram({
    name: 'buyer',
    command: [fileURLToPath(new URL('buyer-program.ts', import.meta.url))],
    environment: { JOB: JSON.stringify(job) },
  });
}

async function fundedBuyers({ channels }: KillsOptions, folder: string, access: BuyerJob['algod']): Promise<Buyer[]> {
  const controls = createDevControls(access);
  const buyers = Array.from({ length: channels }, (_, index): Buyer => {
    const seed = new Uint8Array(32).fill(index + 1);
    return {
      name: `buyer${index}`,
      address: accountFromSeed(seed).address,
      privateKey: encodePrivateKey(seed),
      store: join(folder, `buyer${index}.jsonl`),
    };
  });
  for (const { address } of buyers) {
    await controls.fund(address, 10_000_000n);
    await controls.deal(address, USDC, 100_000_000n);
  }
  return buyers;
}

async function holdings(algod: AlgodClient, buyers: readonly Buyer[]) {
  const of = new Map<string, bigint>();
  for (const { name, address } of buyers) of.set(name, await usdcOf(algod, address));
  return { of, seller: await usdcOf(algod, developmentAccounts().merchant.address) };
}

type Victims = Readonly<Record<'server' | 'facilitator' | 'buyer', Mortal>>;

async function killUntilDone(victims: Victims, ledger: Answers, { seed, ...options }: KillsOptions) {
  const random = seededRandom(seed);
  const counts = { server: 0, facilitator: 0, buyer: 0 };
  const names = ['server', 'facilitator', 'buyer'] as const;
  await victims.buyer.start();
  for (let kill = 0; kill < options.kills || !ledger.has(options.requestsPerChannel, victims.buyer.output); kill++) {
    if (kill > 10 * options.kills) throw new Error(`the buyers get no answers: ${victims.buyer.output.slice(-1000)}`);
    await pause(options.killEveryMs * 2 * random());
    const name = names[kill % names.length] ?? 'server';
    await victims[name].kill();
    if (name === 'buyer') ledger.take(victims.buyer.output);
    counts[name]++;
    await victims[name].start();
  }
  await victims.buyer.kill();
  ledger.take(victims.buyer.output);
  return counts;
}

/** What a buyer has told. */
class BuyerWords {
  answers = 0;
  charged = 0n;
  wrong = 0;
  unanswered = 0n;
  /** Most that the request under way may cost. */
  #asked: bigint | undefined;

  asked(days: string): void {
    this.#asked = BigInt(days) * PRICE_OF_DAY;
  }

  answered(charge: string): void {
    this.answers++;
    this.charged += BigInt(charge);
    if (String(this.#asked) !== charge) this.wrong++;
    this.#asked = undefined;
  }

  /** It failed, or its process is gone. */
  lost(): void {
    this.unanswered += this.#asked ?? 0n;
    this.#asked = undefined;
  }
}

/** What the buyers' processes have told, over all their lives. */
class Answers {
  readonly #of: ReadonlyMap<string, BuyerWords>;
  readonly failures: Record<string, number> = {};

  constructor(buyers: readonly Buyer[]) {
    this.#of = new Map(buyers.map(({ name }) => [name, new BuyerWords()]));
  }

  /** Reads what one process has printed. */
  take(output: string): void {
    for (const line of output.split('\n')) this.#read(line);
    for (const words of this.#of.values()) words.lost();
  }

  #read(line: string): void {
    const [, kind, name = '', what = ''] = /^(asked|answered|failed) (\S+) (.*)$/.exec(line) ?? [];
    const words = this.#of.get(name);
    if (kind === 'asked') words?.asked(what);
    if (kind === 'answered') words?.answered(what);
    if (kind !== 'failed') return;
    words?.lost();
    const reason = what.slice(0, 60);
    this.failures[reason] = (this.failures[reason] ?? 0) + 1;
  }

  /** Whether each buyer has so many answers, with those that a process has just printed. */
  has(requests: number, output: string): boolean {
    return [...this.#of].every(
      ([name, { answers }]) => answers + output.split(`answered ${name} `).length - 1 >= requests,
    );
  }

  accounts(spentBy: (name: string) => bigint): BuyerAccount[] {
    return [...this.#of].map(([name, { answers, charged, wrong, unanswered }]) => {
      return { name, answers, charged, wrong, unanswered, spent: spentBy(name) };
    });
  }
}

/** Asks the seller to close what is open, as a buyer does when it needs no more. The chain goes on meanwhile. */
async function closeChannels({ name, privateKey, store: path }: Buyer, access: BuyerJob['algod']): Promise<void> {
  await using scope = new AsyncDisposableStack();
  const store = scope.adopt(await openFileChannelStore(path), (opened) => opened.close());
  const account = parseAccount(privateKey);
  const payer = createPayer({ account, networks: { 'algorand:*': access }, channels: { store } });
  scope.defer(() => payer.finish(1_000));
  scope.use(chainThatGoesOn(access));
  for (const { id } of (await payer.channels?.list()) ?? []) {
    const recovery = await payer.channels?.close(id);
    if (recovery?.state !== 'closed') throw new Error(`channel ${id} of ${name} is not closed: ${inspect(recovery)}`);
  }
}

/** A deposit that was never sent keeps its channel until its window has passed. */
function chainThatGoesOn(access: BuyerJob['algod']): AsyncDisposable {
  const controls = createDevControls(access);
  const stopped = new AbortController();
  const going = (async () => {
    while (!stopped.signal.aborted) {
      await controls.mine(1);
      await pause(ROUND_MS);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await going;
    },
  };
}
