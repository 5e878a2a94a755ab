import type { AlgodClient, NodeStatus, SimulateResult } from '@avm402/algorand/algod';
import { decodeBase64 } from '@avm402/algorand/base64';
import { AlgorandError } from '@avm402/algorand/errors';
import { LOCALNET, TESTNET } from '@avm402/algorand/networks';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { transactionId } from '@avm402/algorand/transaction';

/** What a node does to one request, before or after it did its work, or instead of it. */
export type Fault = 'lost before' | 'lost after' | AlgorandError | undefined;

export interface ModelChainOptions {
  /** A development network, whose rounds may fall. Default false. */
  readonly development?: boolean;
  /** A block for every submission. Default true. */
  readonly instant?: boolean;
}

/**
 * A chain reduced to what settling depends on: which TxIDs are in which block, what is in the pool, and who can pay.
 * Everything about it can be made to happen at will, which no node allows.
 */
export class ModelChain {
  readonly genesis: { readonly genesisId: string; readonly genesisHash: string };
  instant: boolean;
  /** TxIDs by round; index 0 is the genesis. */
  blocks: string[][] = [[]];
  readonly pool = new Map<string, { readonly lastValid: bigint }>();
  /** Payers who can't pay now. */
  readonly broke = new Set<string>();
  readonly waiters = new Set<() => void>();

  constructor({ development = false, instant = true }: ModelChainOptions = {}) {
    this.genesis = development ? LOCALNET : TESTNET;
    this.instant = instant;
  }

  get lastRound(): bigint {
    return BigInt(this.blocks.length - 1);
  }

  /** Makes blocks; the first one takes what the pool holds. */
  mine(count = 1): void {
    for (let made = 0; made < count; made++) {
      const next = this.lastRound + 1n;
      this.blocks.push([...this.pool].filter(([, { lastValid }]) => lastValid >= next).map(([txId]) => txId));
      this.pool.clear();
    }
    this.wake();
  }

  /** Goes back to an earlier round, as a development node can. */
  revert(round: number): void {
    this.blocks = this.blocks.slice(0, round + 1);
    this.pool.clear();
    this.wake();
  }

  /** Where a transaction is, if it is in a block. */
  roundOf(txId: string): bigint | undefined {
    const round = this.blocks.findIndex((block) => block.includes(txId));
    return round === -1 ? undefined : BigInt(round);
  }

  /** Why a signed transaction can't get in, as a node at `lastRound` sees it; undefined if it can. */
  refusalOf(bytes: Uint8Array, { lastRound, withPool }: { lastRound: bigint; withPool: boolean }): string | undefined {
    const { txn } = decodeSignedTransaction(bytes);
    const txId = transactionId(txn);
    const next = lastRound + 1n;
    if (next < txn.firstValid || next > txn.lastValid) {
      return `txn dead: round ${next} outside of ${txn.firstValid}--${txn.lastValid}`;
    }
    const round = this.roundOf(txId);
    const isInLedger = round !== undefined && round <= lastRound;
    if (isInLedger || (withPool && this.pool.has(txId))) return `transaction already in ledger: ${txId}`;
    if (this.broke.has(txn.sender)) return 'underflow on subtracting 10000 from sender amount 0';
    return undefined;
  }

  /** Takes a signed transaction, as a node at `lastRound` does; throws algod's refusal. */
  submit(bytes: Uint8Array, lastRound = this.lastRound): void {
    const refusal = this.refusalOf(bytes, { lastRound, withPool: true });
    if (refusal !== undefined) throw refused(400, `TransactionPool.Remember: ${refusal}`);
    const { txn } = decodeSignedTransaction(bytes);
    const txId = transactionId(txn);
    if (this.roundOf(txId) === undefined) this.pool.set(txId, txn);
    if (this.instant) this.mine();
  }

  wake(): void {
    for (const waiter of this.waiters) waiter();
  }
}

/** One node of a model chain, and every way in which it can fail. */
export class ModelNode {
  readonly chain: ModelChain;
  /** Rounds that it is behind. */
  lag = 0n;
  /** Blocks below this round are not kept. */
  oldestBlock = 1n;
  isDown = false;
  /** Decides the fate of the next requests. */
  fault: (method: string) => Fault = () => undefined;
  /** Holds answers back, after the work is done. */
  hold: (method: string) => Promise<unknown> | undefined = () => undefined;
  /** Requests by method. */
  readonly calls: Record<string, number> = {};

  constructor(chain: ModelChain) {
    this.chain = chain;
  }

  get lastRound(): bigint {
    const round = this.chain.lastRound - this.lag;
    return round > 0n ? round : 0n;
  }

  client(url = 'http://model.invalid:1'): AlgodClient {
    const methods = {
      params: () =>
        this.#answer('params', () => ({
          fee: 0n,
          minFee: 1000n,
          genesisId: this.chain.genesis.genesisId,
          genesisHash: decodeBase64(this.chain.genesis.genesisHash) ?? new Uint8Array(),
          lastRound: this.lastRound,
          consensusVersion: 'model',
        })),
      status: () => this.#answer('status', () => this.#status()),
      waitForBlockAfter: async (round: bigint, { signal }: { readonly signal?: AbortSignal } = {}) => {
        await this.#untilBlockAfter(round, signal);
        return this.#answer('waitForBlockAfter', () => this.#status());
      },
      simulate: ({ transactions }: { readonly transactions: readonly Uint8Array[] }) =>
        this.#answer('simulate', (): SimulateResult => {
          const { lastRound } = this;
          const payment = transactions.at(-1) ?? new Uint8Array();
          const failureMessage = this.chain.refusalOf(payment, { lastRound, withPool: false });
          return { lastRound, wouldSucceed: failureMessage === undefined, ...(failureMessage && { failureMessage }) };
        }),
      sendRawTransaction: (group: Uint8Array) =>
        this.#answer('sendRawTransaction', () => {
          this.chain.submit(group, this.lastRound);
          return { txId: '' };
        }),
      account: (address: string) =>
        this.#answer('account', () => ({ address, amount: 10_000_000n, minBalance: 100_000n, round: this.lastRound })),
      blockTransactionIds: (round: bigint) =>
        this.#answer('blockTransactionIds', () => {
          if (round > this.lastRound || round < this.oldestBlock) throw refused(404, 'block not available');
          return this.chain.blocks[Number(round)] ?? [];
        }),
    };
    // What settling does not use is not there.
    return { url, ...methods } as unknown as AlgodClient;
  }

  #status(): NodeStatus {
    return { lastRound: this.lastRound } as NodeStatus;
  }

  async #answer<T>(method: string, work: () => T): Promise<T> {
    this.calls[method] = (this.calls[method] ?? 0) + 1;
    await Promise.resolve();
    if (this.isDown) throw new AlgorandError('algod_unreachable', 'the node is down');
    const fault = this.fault(method);
    if (fault instanceof AlgorandError) throw fault;
    if (fault === 'lost before') throw new AlgorandError('algod_timeout', 'the request was lost');
    const answer = (async () => work())();
    answer.catch(() => {});
    await this.hold(method);
    const result = await answer;
    if (fault === 'lost after') throw new AlgorandError('algod_timeout', 'the answer was lost');
    return result;
  }

  async #untilBlockAfter(round: bigint, signal: AbortSignal | undefined): Promise<void> {
    while (this.lastRound <= round && !this.isDown) {
      signal?.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        const wake = (): void => {
          this.chain.waiters.delete(wake);
          signal?.removeEventListener('abort', abort);
          resolve();
        };
        const abort = (): void => {
          this.chain.waiters.delete(wake);
          reject(signal?.reason instanceof Error ? signal.reason : new DOMException('aborted', 'AbortError'));
        };
        this.chain.waiters.add(wake);
        signal?.addEventListener('abort', abort, { once: true });
      });
    }
  }
}

/** algod's refusal, with its text. */
export function refused(status: number, reason: string): AlgorandError {
  return new AlgorandError('algod_refused', reason, { status, reason });
}
