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
import { AlgorandError, isAlgorandError } from '@avm402/algorand/errors';
import { isX402Error, X402Error } from '@avm402/core/errors';
import { networkOfGenesis, networksEqual } from '@avm402/core/network';
import type { Log } from '../log/log.ts';
import type { TroubleLog } from '../log/trouble-log.ts';

export interface AlgodPoolOptions {
  /** In order of preference. */
  readonly clients: readonly AlgodClient[];
  /** CAIP-2 id that all nodes must be of; absent: the first node that answers decides. */
  readonly network?: string;
  /** Called when a node shows a lower round than before: it lags behind a load balancer, or was reset. */
  readonly onFall?: (node: AlgodNode, from: bigint) => void;
  /** Called when a node has failed: nobody needs to wait for it any longer. */
  readonly onFail?: (node: AlgodNode) => void;
  readonly log: Log;
  readonly troubles: TroubleLog;
  readonly now: () => number;
}

/** One algod and what is known of it. */
export interface AlgodNode {
  readonly client: AlgodClient;
  /** The latest round it has shown. */
  readonly lastRound: bigint;
  /** Whether its genesis was compared since it last failed. */
  readonly connected: boolean;
}

interface NodeState extends AlgodNode {
  lastRound: bigint;
  connected: boolean;
  /** Failures in a row. */
  failures: number;
  /** Milliseconds since 1970 until which it is left alone. */
  avoidUntil: number;
}

/** A connected node to ask, and what to say of it afterwards. */
export interface Attempt {
  readonly node: AlgodNode;
  /** It answered. */
  readonly succeeded: () => void;
  /** It gave no answer: it is left alone for a while. */
  readonly failed: (error: unknown) => void;
}

const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5_000;

/** Rounds that a node may be behind the best one and still be preferred by its place in the list. */
const TOLERATED_LAG = 5n;

const FAILED = 'algod failed';

/**
 * Several algods of one network as one. A node is used once its genesis hash has been compared, and again after every
 * failure; one that fails is left alone for a while, and one that lags behind is used last.
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
      avoidUntil: 0,
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

  /**
   * Connects to all nodes that answer, and says which network they are of: that of the first one in the list, unless
   * the network was given.
   * @throws X402Error `algod_unreachable`, `algod_wrong_genesis`, `algod_token_refused`
   */
  async connect(): Promise<{ readonly genesisHash: string; readonly genesisId: string }> {
    const { genesisHash, genesisId } = await this.params();
    await this.check();
    return { genesisHash: encodeBase64(genesisHash), genesisId };
  }

  /**
   * Asks every node for its round, so that a better one than those in use is known. One that still owes the answer to
   * an earlier check is not asked again.
   */
  async check(): Promise<void> {
    const now = this.#options.now();
    const rested = this.#nodes.filter((node) => node.avoidUntil <= now && !this.#checking.has(node));
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
      throw new X402Error('algod_unreachable', { message: `only an algod that is behind answers (${hostOf(node)})` });
    });
  }

  /** An account as the highest known round has it: an older answer would tell of a channel that it is not there yet. */
  async account(address: string): Promise<AccountInformation> {
    return this.run((node) => this.#upToDateAccount(node, address));
  }

  /** An account's holding, as `account`. */
  async accountAsset(address: string, assetId: bigint): Promise<AssetHolding | undefined> {
    return this.run(async (node) => {
      await this.#upToDateAccount(node, address);
      return node.client.accountAsset(address, assetId);
    });
  }

  /**
   * Whether a refusal speaks about the node, not about the transaction: it takes none at the moment, or calls the
   * transaction too early though another node has shown the round before its first valid one.
   */
  isAboutNode(refusal: AlgodRefusal): boolean {
    if (refusal.kind !== 'outside_window') return refusal.kind === 'node_takes_none';
    return refusal.round < refusal.firstValid && refusal.firstValid <= this.lastRound + 1n;
  }

  /** The best node's round, asked now. */
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
        // A node that is behind works: another one is asked, and it is not left alone.
        if (isX402Error(error, 'algod_unreachable')) troubles.push(error);
        else if (isTrouble(error)) attempt.failed(error);
        else throw error;
      }
    }
    // What one node says of itself tells more than that another one is silent.
    const told = troubles.findLast((trouble) => isX402Error(trouble));
    throw told ?? new X402Error('algod_unreachable', { cause: troubles.at(-1) });
  }

  /**
   * The nodes to ask, best first, each connected when its turn comes. Those that can't be connected are left out; what
   * was wrong with them, and with those that failed, is added to `troubles`.
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
   * The connected node to watch: the present one while it keeps up, else the best one.
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

  /** The result of `work` with a node, which is left alone for a while if it fails. */
  async asking<T>(node: AlgodNode, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isTrouble(error)) this.#fail(this.#stateOf(node), error);
      throw error;
    }
  }

  /** The nodes to ask, best first: those that failed a moment ago are left out, or else the one that may be back first. */
  #candidates(): NodeState[] {
    const now = this.#options.now();
    const rested = this.#nodes.filter(({ avoidUntil }) => avoidUntil <= now);
    if (rested.length === 0) return this.#nodes.toSorted((a, b) => a.avoidUntil - b.avoidUntil).slice(0, 1);
    return rested.toSorted((a, b) => this.#rank(a) - this.#rank(b));
  }

  /** The best node, if one is connected and keeps up. */
  get bestNode(): AlgodNode | undefined {
    return this.#candidates().find((node) => node.connected && !this.isBehind(node));
  }

  /** Connecting to a silent node costs a whole timeout: `check` does it, while nobody waits. */
  #rank(node: AlgodNode): number {
    if (this.isBehind(node)) return 2;
    return node.connected ? 0 : 1;
  }

  /** Whether a node shows so much less than another one did that any other is better. */
  isBehind({ connected, lastRound }: AlgodNode): boolean {
    return connected && lastRound + TOLERATED_LAG < this.lastRound;
  }

  /** Milliseconds until a node is worth asking again; 0 if one is now. */
  get restMs(): number {
    return Math.max(0, Math.min(...this.#nodes.map(({ avoidUntil }) => avoidUntil)) - this.#options.now());
  }

  /** The result of one request to the node, whose round is noted. */
  async observing<T extends { readonly lastRound: bigint }>(node: AlgodNode, call: () => Promise<T>): Promise<T> {
    const before = node.lastRound;
    const result = await call();
    this.#observe(this.#stateOf(node), before, result.lastRound);
    return result;
  }

  async #upToDateAccount(node: AlgodNode, address: string): Promise<AccountInformation> {
    const answer = await this.observing(node, async () => {
      const account = await node.client.account(address);
      return { account, lastRound: account.round };
    });
    if (answer.lastRound >= this.lastRound) return answer.account;
    throw new X402Error('algod_unreachable', { message: `only an algod that is behind answers (${hostOf(node)})` });
  }

  /**
   * Compares the node's genesis unless that was done since it last failed.
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

  /** Leaves a node alone for a while, longer with every failure in a row. */
  #fail(node: NodeState, error: unknown): void {
    node.connected = false;
    node.failures += 1;
    const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** (node.failures - 1), MAX_BACKOFF_MS);
    node.avoidUntil = this.#options.now() + backoffMs;
    this.#options.troubles.happened(FAILED, { algod: hostOf(node), backoffMs, err: error }, hostOf(node));
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

  /** A round that is lower than one known when the request was sent is a fall; a late answer is not. */
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

/** A refusal to tell the parameters is about the token, or comes from no algod: nothing else in the request could be refused. */
async function paramsOf(node: AlgodNode): Promise<SuggestedParams> {
  try {
    return await node.client.params();
  } catch (error) {
    if (!isAlgorandError(error, 'algod_refused')) throw error;
    if (error.status === 401 || error.status === 403) throw tokenRefused(node, error);
    throw new AlgorandError('algod_bad_answer', error.message, { cause: error });
  }
}

/**
 * Whether an error speaks about a node or the way to it, not about what was asked. Nothing that is asked for here can be
 * missing, except a block: a 404 is somebody's who stands in front of the node.
 */
export function isTrouble(error: unknown): boolean {
  if (isX402Error(error, 'algod_wrong_genesis') || isX402Error(error, 'algod_token_refused')) return true;
  if (!isAlgorandError(error)) return false;
  return error.code !== 'algod_refused' || error.status !== 400;
}

function tokenRefused(node: AlgodNode, cause: AlgorandError): X402Error {
  const message = `the algod at ${hostOf(node)} refuses the token in ALGOD_TOKEN (status ${cause.status})`;
  return new X402Error('algod_token_refused', { message, cause });
}

function hostOf({ client }: AlgodNode): string {
  return new URL(client.url).host;
}
