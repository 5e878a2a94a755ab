import { setImmediate as otherEvents } from 'node:timers/promises';
import { accountAssetMsgpack, accountRecordMsgpack, bareAccountMsgpack } from './answers/account-record.ts';
import { blockDocument, transactionProof } from './answers/block-answers.ts';
import { pendingTransactionAnswer, pendingTransactionsAnswer } from './answers/pending-answers.ts';
import { stateDeltaDocument } from './answers/state-delta.ts';
import { document } from './codec/document.ts';
import { simulateResponse } from './codec/schema/simulate.ts';
import { deal, fund } from './dev/give.ts';
import { DevnodeError } from './errors.ts';
import { addressKey, addressOfKey } from './transaction/address-key.ts';
import type { Chain } from './ledger/chain.ts';
import { minBalanceOf } from './ledger/min-balance.ts';
import type { Document } from './codec/document.ts';
import type { AccountState, Address, Asset, Node, NodeCounters, NodeStatus, ProofHash } from './node.ts';
import type { Supply, TransactionProof } from './node.ts';
import type { Pool } from './pool/pool.ts';
import type { BlockProducer } from './production/block-producer.ts';
import type { DevClock } from './production/dev-clock.ts';
import type { Submissions, SubmitOptions } from './submission/submissions.ts';
import { RoundWaiters } from './production/round-waiters.ts';
import { readSimulateRequest } from './simulate/read-request.ts';
import { simulate } from './simulate/simulate.ts';
import { idText } from './transaction/member.ts';
import type { Programs } from './verify/programs.ts';

const NANOSECONDS_PER_MS = 1_000_000n;

/** Rounds that are mined before other events have their turn. */
const ROUNDS_AT_ONCE = 100;

export interface EmbeddedNodeParts {
  readonly chain: Chain;
  readonly pool: Pool;
  readonly blocks: BlockProducer;
  readonly submissions: Submissions;
  readonly clock: DevClock;
  readonly programs: Programs;
  readonly developerApi: boolean;
  readonly now: () => number;
}

/** The node in process: what the chain, the pool and block production know and do, for the routes to ask. */
export class EmbeddedNode implements Node {
  readonly #parts: EmbeddedNodeParts;
  readonly #chain: Chain;
  readonly #waiters = new RoundWaiters();
  #lastBlockAt: number | undefined;

  constructor(parts: EmbeddedNodeParts) {
    this.#parts = parts;
    this.#chain = parts.chain;
    parts.blocks.onBlock(({ round }) => {
      this.#lastBlockAt = parts.now();
      this.#waiters.reached(round);
    });
  }

  get genesisJson(): string {
    return this.#chain.genesis.json;
  }

  get genesisId(): string {
    return this.#chain.context.genesisId;
  }

  get genesisHash(): Uint8Array {
    return this.#chain.context.genesisHash;
  }

  get latestRound(): bigint {
    return this.#chain.latest.round;
  }

  get counters(): NodeCounters {
    const { accepted, refused, dropped, backlogRefused, backlogGroups } = this.#parts.submissions.counters;
    return {
      groupsAccepted: accepted,
      groupsRefused: refused,
      transactionsConfirmed: this.#chain.transactionCount,
      backlogDropped: dropped,
      backlogRefused,
      backlogGroups,
      poolTransactions: this.#parts.pool.size,
    };
  }

  status(): NodeStatus {
    const elapsed = this.#lastBlockAt === undefined ? 0 : this.#parts.now() - this.#lastBlockAt;
    return {
      lastRound: this.latestRound,
      version: this.#chain.parameters.version,
      timeSinceLastRound: BigInt(Math.max(0, Math.round(elapsed))) * NANOSECONDS_PER_MS,
    };
  }

  supply(): Supply {
    const { state } = this.#chain;
    const onlineMoney = state.money.of('Online').microAlgos;
    const totalMoney = onlineMoney + state.money.of('Offline').microAlgos;
    return { round: this.latestRound, onlineMoney, onlineStake: this.#chain.genesisStake, totalMoney };
  }

  suggestedFees(): { readonly minFee: bigint; readonly feePerByte: bigint } {
    // Differs from algod: no-pool-fee
    return { minFee: this.#chain.parameters.minTransactionFee, feePerByte: 0n };
  }

  waitForRound(round: bigint, options: { readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<void> {
    return round <= this.latestRound ? Promise.resolve() : this.#waiters.wait(round, options);
  }

  submitGroup(bytes: Uint8Array, options: SubmitOptions = {}): Promise<{ readonly txId: string }> {
    return this.#parts.submissions.submit(bytes, options);
  }

  submitGroupAsync(bytes: Uint8Array, options: SubmitOptions = {}): void {
    this.#parts.submissions.submitAsync(bytes, options);
  }

  simulate(request: Uint8Array): Document {
    const response = simulate(readSimulateRequest(request), this.#chain, {
      developerApi: this.#parts.developerApi,
      programs: this.#parts.programs,
    });
    return document(simulateResponse, response);
  }

  pendingTransaction(txId: Uint8Array): Document | undefined {
    return pendingTransactionAnswer(txId, this.#chain, this.#parts.pool);
  }

  pendingTransactions(options: { readonly max: bigint; readonly address?: Address }): Document {
    return pendingTransactionsAnswer(this.#parts.pool, options);
  }

  account(address: Address): AccountState {
    const { state, parameters } = this.#chain;
    const key = addressKey(address);
    const account = state.account(key);
    return {
      round: this.latestRound,
      account,
      minBalance: minBalanceOf(account, parameters),
      holdings: state.holdingsOf(key),
      created: state.assetsOf(key).map(([assetId, { params }]) => [assetId, params]),
    };
  }

  accountMsgpack(address: Address, { bare }: { readonly bare: boolean }): Uint8Array {
    const state = this.account(address);
    return bare ? bareAccountMsgpack(state) : accountRecordMsgpack(state);
  }

  accountAssetMsgpack(address: Address, assetId: bigint): Uint8Array | undefined {
    const key = addressKey(address);
    const holding = this.#chain.state.holding(key, assetId);
    const asset = this.#chain.state.asset(assetId);
    const created = asset?.creator === key ? asset.params : undefined;
    return holding === undefined && created === undefined ? undefined : accountAssetMsgpack(holding, created);
  }

  asset(assetId: bigint): Asset | undefined {
    const asset = this.#chain.state.asset(assetId);
    return asset && { creator: addressOfKey(asset.creator), params: asset.params };
  }

  block(round: bigint, options: { readonly headerOnly: boolean }): Document | undefined {
    const block = this.#chain.blocks.block(round);
    return block && blockDocument(block, options);
  }

  blockTransactionIds(round: bigint): readonly string[] | undefined {
    return this.#chain.blocks.txIds(round)?.map(idText);
  }

  blockHash(round: bigint): Uint8Array | undefined {
    return this.#chain.blocks.hash(round);
  }

  transactionProof(round: bigint, txId: Uint8Array, hash: ProofHash): TransactionProof | null | undefined {
    const block = this.#chain.blocks.block(round);
    return block && transactionProof(block, txId, hash);
  }

  stateDelta(round: bigint): Document {
    return stateDeltaDocument(round, this.#chain);
  }

  timestampOffset(): bigint {
    return this.#parts.clock.offset;
  }

  setTimestampOffset(seconds: bigint): void {
    this.#parts.clock.offset = seconds;
  }

  async mine(rounds = 1): Promise<void> {
    if (!Number.isSafeInteger(rounds) || rounds < 1) {
      throw new DevnodeError('refused', `the number of rounds to mine is a whole number from 1, not ${rounds}`);
    }
    for (let made = 1; made <= rounds; made++) {
      this.#parts.blocks.makeBlock();
      if (made % ROUNDS_AT_ONCE === 0) await otherEvents();
    }
  }

  async fund(address: Address, microAlgos: bigint): Promise<void> {
    this.#parts.blocks.makeBlockWith((state) => fund(state, addressKey(address), microAlgos));
  }

  async deal(address: Address, assetId: bigint, amount: bigint): Promise<void> {
    const { parameters } = this.#chain;
    this.#parts.blocks.makeBlockWith((state) =>
      deal(state, { owner: addressKey(address), assetId, amount, parameters }),
    );
  }

  close(): void {
    this.#parts.submissions.close();
    this.#parts.blocks.close();
    this.#waiters.close();
  }
}
