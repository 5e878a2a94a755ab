import type {
  AccountInformation,
  AlgodClient,
  AssetHolding,
  SimulateRequest,
  SimulateResult,
  SuggestedParams,
} from '@avm402/algorand/algod';
import { type AlgodRefusal, parseAlgodRefusal } from '@avm402/algorand/algod-refusal';
import { encodeBase64 } from '@avm402/algorand/base64';
import { isX402Error, X402Error } from '@avm402/core/errors';
import { networkOfGenesis, networksEqual } from '@avm402/core/network';
import type { Log } from '../log/log.ts';
import { type AlgodNode, behind, hostOf, isTrouble, paramsOf } from './algod-node.ts';
import type { TroubleLog } from '../log/trouble-log.ts';
import { backoffMs, Pause } from '../pause.ts';

export interface AlgodPoolOptions {
  /** In order of preference. */
  readonly clients: readonly AlgodClient[];
  /** CAIP-2 id that all nodes must serve. Default: that of the first node that answers. */
  readonly network?: string;
  /** Called when a node shows a lower round than before: it was reset, or a load balancer chose one that lags. */
  readonly onFall?: (node: AlgodNode, from: bigint) => void;
  /** Called when a node has failed: stop waiting for it. */
  readonly onFail?: (node: AlgodNode) => void;
  readonly log: Log;
  readonly troubles: TroubleLog;
  readonly now: () => number;
}

interface NodeState extends AlgodNode {
  lastRound: bigint;
  connected: boolean;
  /** Failures in a row. */
  failures: number;
  /** While it lasts, the node is left alone. */
  readonly pause: Pause;
}

/** A connected node to ask, with callbacks that report the result. */
export interface Attempt {
  readonly node: AlgodNode;
  readonly succeeded: () => void;
  /** The node gave no answer: it is left alone for a while. */
  readonly failed: (error: unknown) => void;
}

const BACKOFF = { firstMs: 250, mostMs: 5_000 };

/** Rounds that a node may lag behind the best one and still keep its place in the list. */
const TOLERATED_LAG = 5n;

const FAILED = 'algod failed';

/**
 * Several algods of one network, used as one. A node is used only after its genesis hash has been compared, and after a
 * failure only when that has been repeated. One that fails is left alone for a while, and one that lags is used last.
 */
export class AlgodPool {
  readonly #nodes: readonly NodeState[];
  readonly #options: AlgodPoolOptions;
  readonly #checking = new Set<NodeState>();
  #network: string | undefined;
  #lastRoundSeenAt: number;

  constructor(options: AlgodPoolOptions) {
    this.#nodes = options.clients.map((client) => ({
      client,
      lastRound: 0n,
      connected: false,
      failures: 0,
      pause: new Pause(),
    }));
    this.#network = options.network;
    this.#lastRoundSeenAt = options.now();
    this.#options = options;
  }

  /** All nodes, in order of preference. */
  get nodes(): readonly AlgodNode[] {
    return this.#nodes;
  }

  /** The highest round that any node has shown. */
  get lastRound(): bigint {
    return this.#nodes.reduce((highest, { lastRound }) => (lastRound > highest ? lastRound : highest), 0n);
  }

  /** When the highest round was first seen, in milliseconds since 1970. */
  get lastRoundSeenAt(): number {
    return this.#lastRoundSeenAt;
  }

  /** The best node, if one is connected and keeps up. */
  get bestNode(): AlgodNode | undefined {
    return this.#candidates().find((node) => node.connected && !this.isBehind(node));
  }

  /** Milliseconds until a node is worth asking again; 0 if one is worth asking now. */
  get restMs(): number {
    const now = this.#options.now();
    return Math.min(...this.#nodes.map(({ pause }) => pause.leftMs(now)));
  }

  /**
   * Connects to all nodes that answer, and returns the network's genesis: that of the first node in the list, unless
   * the network was given.
   * @throws X402Error `algod_unreachable`, `algod_wrong_genesis`, `algod_token_refused`
   */
  async connect(): Promise<{ readonly genesisHash: string; readonly genesisId: string }> {
    const { genesisHash, genesisId } = await this.params();
    await this.check();
    return { genesisHash: encodeBase64(genesisHash), genesisId };
  }

  /**
   * Asks every node for its round, so that a better node than those in use is noticed. A node that has not answered an
   * earlier check is not asked again.
   */
  async check(): Promise<void> {
    const now = this.#options.now();
    const rested = this.#nodes.filter((node) => node.pause.isOver(now) && !this.#checking.has(node));
    await Promise.all(rested.map((node) => this.#checkNode(node)));
  }

  async params(): Promise<SuggestedParams> {
    return this.run((node) => this.observing(node, () => paramsOf(node)));
  }

  async simulate(request: SimulateRequest): Promise<SimulateResult> {
    return this.run(async (node) => {
      const result = await this.observing(node, () => node.client.simulate(request));
      const { failureMessage = '' } = result;
      if (!this.isAboutNode(parseAlgodRefusal(failureMessage))) return result;
      throw behind(node);
    });
  }

  /** An account at the highest known round: an older answer could deny a channel that exists by now. */
  async account(address: string): Promise<AccountInformation> {
    return this.run((node) => this.#upToDateAccount(node, address));
  }

  /** An account's holding, likewise at the highest known round. */
  async accountAsset(address: string, assetId: bigint): Promise<AssetHolding | undefined> {
    return this.run(async (node) => {
      await this.#upToDateAccount(node, address);
      return node.client.accountAsset(address, assetId);
    });
  }

  /**
   * Whether a refusal is about the node, not about the transaction: the node takes none at the moment, or it calls the
   * transaction too early although another node has shown the round before its first valid one.
   */
  isAboutNode(refusal: AlgodRefusal): boolean {
    if (refusal.kind !== 'outside_window') return refusal.kind === 'node_takes_none';
    return refusal.round < refusal.firstValid && refusal.firstValid <= this.lastRound + 1n;
  }

  /** The best node's current round, asked now. */
  async currentRound(): Promise<bigint> {
    const { lastRound } = await this.run((node) => this.observing(node, () => node.client.status()));
    return lastRound;
  }

  /**
   * The result of `call` on the best node that gives one. A refusal (400) is a result; trouble with a node is not.
   * @throws X402Error `algod_unreachable`, `algod_wrong_genesis`, `algod_token_refused`; AlgorandError `algod_refused`
   */
  async run<T>(call: (node: AlgodNode) => Promise<T>): Promise<T> {
    const troubles: unknown[] = [];
    for await (const attempt of this.attempts(troubles)) {
      try {
        const result = await call(attempt.node);
        attempt.succeeded();
        return result;
      } catch (error) {
        // A node that lags works: another one is asked, and this one is not left alone.
        if (isX402Error(error, 'algod_unreachable')) troubles.push(error);
        else if (isTrouble(error)) attempt.failed(error);
        else throw error;
      }
    }
    // A node's own report says more than another node's silence.
    const reported = troubles.findLast((trouble) => isX402Error(trouble));
    throw reported ?? new X402Error('algod_unreachable', { cause: troubles.at(-1) });
  }

  /**
   * The nodes to ask, best first; each is connected when its turn comes. Those that can't be connected are left out.
   * Their errors, and those of nodes that failed, are added to `troubles`.
   */
  async *attempts(troubles: unknown[] = []): AsyncGenerator<Attempt> {
    for (const node of this.#candidates()) {
      const failed = (error: unknown): void => {
        troubles.push(error);
        this.#fail(node, error);
      };
      try {
        await this.#connect(node);
      } catch (error) {
        if (!isTrouble(error)) throw error;
        failed(error);
        continue;
      }
      yield { node, failed, succeeded: () => this.#succeed(node) };
    }
  }

  /**
   * The connected node to watch: the present one while it keeps up, otherwise the best one.
   * @throws what its client throws
   */
  async nodeToWatch(present: AlgodNode | undefined): Promise<AlgodNode> {
    const candidates = this.#candidates();
    const [best] = candidates;
    if (best === undefined) throw new TypeError('a pool of no nodes');
    const next = candidates.find((node) => node === present && node.connected && !this.isBehind(node)) ?? best;
    await this.asking(next, () => this.#connect(next));
    return next;
  }

  /** Runs `work` with a node and returns its result; the node is left alone for a while if it fails. */
  async asking<T>(node: AlgodNode, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isTrouble(error)) this.#fail(this.#stateOf(node), error);
      throw error;
    }
  }

  /** Whether a node lags so far behind another one that any other is better. */
  isBehind({ connected, lastRound }: AlgodNode): boolean {
    return connected && lastRound + TOLERATED_LAG < this.lastRound;
  }

  /** Makes one request to the node, notes the node's round, and returns the result. */
  async observing<T extends { readonly lastRound: bigint }>(node: AlgodNode, call: () => Promise<T>): Promise<T> {
    const before = node.lastRound;
    const result = await call();
    this.#observe(this.#stateOf(node), before, result.lastRound);
    return result;
  }

  /** The nodes to ask, best first, without those that just failed; if all did, the one that is due back first. */
  #candidates(): NodeState[] {
    const now = this.#options.now();
    const rested = this.#nodes.filter(({ pause }) => pause.isOver(now));
    if (rested.length === 0)
      return this.#nodes.toSorted((a, b) => a.pause.leftMs(now) - b.pause.leftMs(now)).slice(0, 1);
    return rested.toSorted((a, b) => this.#rank(a) - this.#rank(b));
  }

  /** Ranks unconnected nodes lower: a silent one costs a whole timeout, so `check` connects while nobody waits. */
  #rank(node: AlgodNode): number {
    if (this.isBehind(node)) return 2;
    return node.connected ? 0 : 1;
  }

  async #upToDateAccount(node: AlgodNode, address: string): Promise<AccountInformation> {
    const answer = await this.observing(node, async () => {
      const account = await node.client.account(address);
      return { account, lastRound: account.round };
    });
    if (answer.lastRound >= this.lastRound) return answer.account;
    throw behind(node);
  }

  /**
   * Compares the node's genesis, unless that has been done since it last failed.
   * @throws X402Error `algod_wrong_genesis`, `algod_token_refused`, or what the client throws
   */
  async #connect(node: NodeState): Promise<void> {
    if (node.connected) return;
    const before = node.lastRound;
    const { genesisHash, genesisId, lastRound } = await paramsOf(node);
    const network = networkOfGenesis(genesisHash);
    if (!networksEqual(network, this.#network ?? network)) {
      throw new X402Error('algod_wrong_genesis', {
        message: `the algod at ${hostOf(node)} is of ${network}, not of ${this.#network}`,
      });
    }
    this.#network = network;
    node.connected = true;
    this.#observe(node, before, lastRound);
    this.#options.log.info({ algod: hostOf(node), genesisId, round: Number(lastRound) }, 'connected to algod');
  }

  #succeed(node: NodeState): void {
    node.failures = 0;
    this.#options.troubles.isOver(FAILED, 'algod answers again', { algod: hostOf(node) }, hostOf(node));
  }

  /** Leaves a node alone for a while, longer after each failure in a row. */
  #fail(node: NodeState, error: unknown): void {
    node.connected = false;
    node.failures += 1;
    const pauseMs = backoffMs(node.failures, BACKOFF);
    node.pause.begin(this.#options.now(), pauseMs);
    this.#options.troubles.happened(FAILED, { algod: hostOf(node), backoffMs: pauseMs, err: error }, hostOf(node));
    this.#options.onFail?.(node);
  }

  async #checkNode(node: NodeState): Promise<void> {
    this.#checking.add(node);
    try {
      if (node.connected) await this.observing(node, () => node.client.status());
      else await this.#connect(node);
      this.#succeed(node);
    } catch (error) {
      this.#fail(node, error);
    } finally {
      this.#checking.delete(node);
    }
  }

  #stateOf(node: AlgodNode): NodeState {
    const state = this.#nodes.find((candidate) => candidate === node);
    if (state === undefined) throw new TypeError('a node of another pool');
    return state;
  }

  /** A round below the one known when the request was sent is a fall; an answer that comes late is not. */
  #observe(node: NodeState, before: bigint, round: bigint): void {
    if (round < before) {
      node.lastRound = round;
      this.#options.onFall?.(node, before);
    } else if (round > node.lastRound) {
      if (round > this.lastRound) this.#lastRoundSeenAt = this.#options.now();
      node.lastRound = round;
    }
  }
}
