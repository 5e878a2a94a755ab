import type { AccountApplication, AccountAsset, AssetHolding } from '../codec/schema/account.ts';
import { document, type Document } from '../codec/document.ts';
import { saturated } from '../codec/integer.ts';
import { simulateResponse } from '../codec/schema/simulate.ts';
import type { ApplicationParams } from '../codec/schema/application.ts';
import type { AssetParams } from '../codec/schema/transaction.ts';
import type { Chain } from '../ledger/chain.ts';
import { minBalanceOf } from '../ledger/min-balance.ts';
import type { Pool } from '../pool/pool.ts';
import { readSimulateRequest } from '../simulate/read-request.ts';
import { simulate, type Authorize } from '../simulate/simulate.ts';
import { addressKey, addressOfKey } from '../transaction/address-key.ts';
import { idText } from '../transaction/member.ts';
import type { VerifyContext } from '../verify/verify-group.ts';
import type { AccountState } from './account-record.ts';
import { boxesAfter, type Boxes } from './boxes.ts';
import {
  blockDocument,
  loggedCalls,
  transactionProof,
  type LoggedCall,
  type ProofHash,
  type TransactionProof,
} from './block-documents.ts';
import { pendingTransactionAnswer, pendingTransactionsAnswer } from './pending-transactions.ts';
import { stateDeltaDocument } from './state-delta.ts';

/** An asset or an application, with its creator's address. */
export interface CreatedBy<Params> {
  readonly creator: Uint8Array;
  readonly params: Params;
}

export interface QueriesOptions {
  readonly chain: Chain;
  readonly pool: Pool;
  readonly verification: VerifyContext;
  readonly authorize: Authorize;
  /** algod's `EnableDeveloperAPI`: whether simulate may trace. */
  readonly developerApi: boolean;
}

/** All queries to a node. A look-up that finds nothing gives undefined; the route writes the text of its 404. */
export class Queries {
  readonly #options: QueriesOptions;
  readonly #chain: Chain;

  constructor(options: QueriesOptions) {
    this.#options = options;
    this.#chain = options.chain;
  }

  /** The genesis, as the JSON with which the node was started. */
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

  /** The consensus version: a URL. */
  get consensusVersion(): string {
    return this.#chain.parameters.version;
  }

  /**
   * µAlgo of accounts that are online now; that weigh in votes (online 320 rounds ago, with keys that have not expired
   * since); and of all participating accounts, online and offline.
   */
  supply() {
    const { state } = this.#chain;
    const onlineMoney = state.money.of('Online').microAlgos;
    const totalMoney = saturated(onlineMoney + state.money.of('Offline').microAlgos);
    return { round: this.latestRound, onlineMoney, onlineStake: state.online.stakeIn(this.latestRound), totalMoney };
  }

  /** The least fee of a transaction in µAlgo, and the suggested fee for each byte. */
  suggestedFees(): { readonly minFee: bigint; readonly feePerByte: bigint } {
    // Differs from algod: no-pool-fee
    return { minFee: this.#chain.parameters.minTransactionFee, feePerByte: 0n };
  }

  /** Answers a simulate request: msgpack or JSON, at most 1,000,000 bytes. */
  async simulate(request: Uint8Array): Promise<Document> {
    const { developerApi, authorize, verification } = this.#options;
    const options = { developerApi, authorize, ...verification };
    const response = await simulate(readSimulateRequest(request), this.#chain, options);
    return document(simulateResponse, response);
  }

  /** The status of a transaction that is in a block of the last 1000 rounds, in the pool, or fell out of it. */
  pendingTransaction(txId: Uint8Array): Document | undefined {
    return pendingTransactionAnswer(txId, this.#chain, this.#options.pool);
  }

  /** `{top-transactions, total-transactions}`; `max` 0 means all. */
  pendingTransactions(options: { readonly max: bigint; readonly address?: Uint8Array }): Document {
    return pendingTransactionsAnswer(this.#options.pool, options);
  }

  account(address: Uint8Array): AccountState {
    const { state, parameters } = this.#chain;
    const key = addressKey(address);
    const account = state.account(key);
    return {
      round: this.latestRound,
      account,
      minBalance: minBalanceOf(account, parameters),
      holdings: state.holdingsOf(key),
      created: state.assetsOf(key).map(([assetId, { params }]) => [assetId, params]),
      localStates: state.localStatesOf(key),
      applications: state.applicationsOf(key).map(([id, { params }]) => [id, params]),
    };
  }

  /** An account's part in an asset; undefined when the account neither holds nor created it. */
  accountAsset(address: Uint8Array, assetId: bigint): AccountAsset | undefined {
    const key = addressKey(address);
    const holding = this.#chain.state.holding(key, assetId);
    const asset = this.#chain.state.asset(assetId);
    const params = asset?.creator === key ? asset.params : undefined;
    return (holding ?? params) && { holding, params };
  }

  /** An account's holding of an asset; undefined when it has not opted in. */
  holding(address: Uint8Array, assetId: bigint): AssetHolding | undefined {
    return this.#chain.state.holding(addressKey(address), assetId);
  }

  asset(assetId: bigint): CreatedBy<AssetParams> | undefined {
    const asset = this.#chain.state.asset(assetId);
    return asset && { creator: addressOfKey(asset.creator), params: asset.params };
  }

  application(id: bigint): CreatedBy<ApplicationParams> | undefined {
    const application = this.#chain.state.application(id);
    return application && { creator: addressOfKey(application.creator), params: application.params };
  }

  /** An account's part in an application; undefined when the account neither opted in nor created it. */
  accountApplication(address: Uint8Array, id: bigint): AccountApplication | undefined {
    const key = addressKey(address);
    const localState = this.#chain.state.localState(key, id);
    const application = this.#chain.state.application(id);
    const params = application?.creator === key ? application.params : undefined;
    return (localState ?? params) && { localState, params };
  }

  /** An application's boxes as of now. */
  get boxes(): Boxes {
    const { state } = this.#chain;
    return { names: (id) => state.boxNamesOf(id), content: (id, name) => state.box(id, name) };
  }

  /** An application's boxes as of a round; undefined when the round is too old. */
  boxesAt(round: bigint): Boxes | undefined {
    return boxesAfter(round, this.#chain);
  }

  /** `{block}`; in msgpack `{block, cert}` unless `headerOnly`. */
  block(round: bigint, options: { readonly headerOnly: boolean }): Document | undefined {
    const block = this.#chain.blocks.block(round);
    return block && blockDocument(block, options);
  }

  /** The TxIDs of a block, in its order, 52 characters each. */
  blockTransactionIds(round: bigint): readonly string[] | undefined {
    return this.#chain.blocks.txIds(round)?.map(idText);
  }

  /** The calls of a block that logged something, inner ones after their callers. */
  blockLogs(round: bigint): readonly LoggedCall[] | undefined {
    const block = this.#chain.blocks.block(round);
    return block && loggedCalls(block);
  }

  blockHash(round: bigint): Uint8Array | undefined {
    return this.#chain.blocks.hash(round);
  }

  /** undefined: the block does not exist; `null`: the transaction is not in it. */
  transactionProof(round: bigint, txId: Uint8Array, hash: ProofHash): TransactionProof | null | undefined {
    const block = this.#chain.blocks.block(round);
    return block && transactionProof(block, txId, hash);
  }

  /**
   * The changes of a round.
   * @throws DevnodeError `not_found` (404) with algod's reason, if the round is not kept
   */
  stateDelta(round: bigint): Document {
    return stateDeltaDocument(round, this.#chain);
  }
}
