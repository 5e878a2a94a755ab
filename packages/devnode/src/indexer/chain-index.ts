import { setImmediate as otherEvents } from 'node:timers/promises';
import { sameBytes } from '../codec/bytes.ts';
import type { InnerTransaction } from '../codec/schema/apply-data.ts';
import type { TransactionInBlock } from '../codec/schema/signed-transaction.ts';
import type { Chain } from '../ledger/chain.ts';
import { addressKey, type AddressKey } from '../transaction/address-key.ts';
import { holdingKey } from '../ledger/state/tables.ts';
import { blockIsGone, type IndexedPlace } from './confirmed-transaction.ts';
import { assetOf, participantsOf } from './participants.ts';
import { applicationOf, transactionsWithin } from '../transaction/inner-transactions.ts';
import { ON_COMPLETION } from '@avm402/teal/application';

/** How many blocks and transactions are indexed before other events get their turn. */
const TAKEN_AT_ONCE = 1000;

/** Positions of some transactions in the index, in the order of the chain. */
export interface Positions {
  readonly length: number;
  at(index: number): number | undefined;
}

const NONE: Positions = [];

/**
 * An index of the chain's transactions by id, participant, asset and application, and of the rounds in which accounts,
 * assets and applications were created. It catches up with the chain only when it is queried, so it costs nothing while
 * nobody searches. If the chain went back, or dropped half of it, it starts over.
 */
export class ChainIndex {
  readonly chain: Chain;
  readonly #genesisAccounts: ReadonlySet<AddressKey>;
  #known = nothingKnown();
  /** The latest indexed block. */
  #tip: { readonly round: bigint; readonly hash: Uint8Array } | undefined;
  #following: Promise<void> | undefined;

  constructor(chain: Chain) {
    this.chain = chain;
    this.#genesisAccounts = new Set(chain.genesis.allocations.map(([address]) => addressKey(address)));
  }

  /** Indexes the blocks since the last time. */
  follow(): Promise<void> {
    this.#following ??= this.#catchUp().finally(() => {
      this.#following = undefined;
    });
    return this.#following;
  }

  get all(): Positions {
    return { length: this.#known.rounds.length, at: (index) => index };
  }

  withId(txId: Uint8Array): Positions {
    const position = this.#known.byId.get(addressKey(txId));
    return position === undefined ? NONE : [position];
  }

  withParticipant(address: Uint8Array): Positions {
    return this.#known.byAddress.get(addressKey(address)) ?? NONE;
  }

  withAsset(assetId: bigint): Positions {
    return this.#known.byAsset.get(assetId) ?? NONE;
  }

  withApplication(applicationId: bigint): Positions {
    return this.#known.byApplication.get(applicationId) ?? NONE;
  }

  /** The round of an account's first transaction; undefined if unknown, or if only a developer control changed it. */
  accountRound(address: Uint8Array): bigint | undefined {
    if (this.#genesisAccounts.has(addressKey(address))) return 0n;
    const first = this.#areBlocksGone ? undefined : this.withParticipant(address).at(0);
    return first === undefined ? undefined : this.place(first).round;
  }

  /** The round in which an asset was created; 0 for one that was laid over the genesis; undefined if unknown. */
  assetRound(assetId: bigint): bigint | undefined {
    return this.#known.assetCreations.get(assetId) ?? (this.#areBlocksGone ? undefined : 0n);
  }

  /** The round in which an application was created, if its block is kept. */
  applicationRound(applicationId: bigint): bigint | undefined {
    return this.#known.applicationCreations.get(applicationId);
  }

  /** The round in which an account last opted in to an application, if its block is kept. */
  optInRound(address: Uint8Array, applicationId: bigint): bigint | undefined {
    return this.#known.optIns.get(holdingKey(addressKey(address), applicationId));
  }

  place(position: number): IndexedPlace {
    const { rounds, indexes, offsets } = this.#known;
    return {
      round: BigInt(rounds[position] ?? 0),
      index: indexes[position] ?? 0,
      offset: offsets[position] ?? 0,
    };
  }

  /** Gives a check to be made after each turn of other events, which throws (503) once the chain was put back. */
  guard(): () => void {
    const known = this.#known;
    return () => {
      if (known !== this.#known || this.#isAbandoned()) blockIsGone();
    };
  }

  get #areBlocksGone(): boolean {
    return this.chain.blocks.oldest > 0n;
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      if (this.#isAbandoned()) {
        this.#known = nothingKnown();
        this.#tip = undefined;
      }
      if (!this.#takeSome()) return;
      await otherEvents();
    }
  }

  /** Whether the tip is no longer a block of the chain, or half of the transactions are no longer in any block. */
  #isAbandoned(): boolean {
    if (this.#tip === undefined) return false;
    const middle = this.#known.rounds[this.#known.rounds.length >> 1];
    if (middle !== undefined && middle < this.chain.blocks.oldest) return true;
    const hash = this.chain.blocks.hash(this.#tip.round);
    return hash === undefined || !sameBytes(hash, this.#tip.hash);
  }

  /** Indexes some blocks; gives false when there are no more. */
  #takeSome(): boolean {
    const { blocks } = this.chain;
    for (let taken = 0; taken < TAKEN_AT_ONCE;) {
      const round = this.#tip === undefined ? blocks.oldest : this.#tip.round + 1n;
      const hash = blocks.hash(round);
      if (hash === undefined) return false;
      taken += 1 + this.#takeBlock(round);
      this.#tip = { round, hash };
    }
    return true;
  }

  /** Indexes a block and gives the number of its transactions. */
  #takeBlock(round: bigint): number {
    const { blocks } = this.chain;
    const ids = blocks.txIds(round) ?? [];
    let offset = 0;
    for (const [index, txId] of ids.entries()) {
      const placed = blocks.transaction(round, index);
      if (placed !== undefined) offset += this.#take(placed, { round, index, offset, txId });
    }
    return ids.length;
  }

  /** Indexes a transaction; gives the number of transactions that it is, with its inner ones. */
  #take(placed: TransactionInBlock, place: IndexedPlace & { readonly txId: Uint8Array }): number {
    const { round, index, offset, txId } = place;
    const position = this.#known.rounds.length;
    this.#known.rounds.push(Number(round));
    this.#known.indexes.push(index);
    this.#known.offsets.push(offset);
    this.#known.byId.set(addressKey(txId), position);
    const all = [...transactionsWithin(placed)];
    const participants = all.flatMap(({ transaction }) => participantsOf(transaction).map(addressKey));
    for (const key of new Set(participants)) listed(this.#known.byAddress, key).push(position);
    for (const asset of idsOf(all, assetOf)) listed(this.#known.byAsset, asset).push(position);
    for (const id of idsOf(all, applicationOf)) listed(this.#known.byApplication, id).push(position);
    for (const each of all) this.#noteEffects(each, round);
    return all.length;
  }

  #noteEffects(placed: InnerTransaction, round: bigint): void {
    const { transaction, configAsset, applicationId } = placed;
    if (configAsset !== 0n) this.#known.assetCreations.set(configAsset, round);
    if (applicationId !== 0n) this.#known.applicationCreations.set(applicationId, round);
    if (transaction.onCompletion !== ON_COMPLETION.optIn) return;
    this.#known.optIns.set(holdingKey(addressKey(transaction.sender), applicationOf(placed)), round);
  }
}

function nothingKnown() {
  return {
    rounds: [] as number[],
    indexes: [] as number[],
    offsets: [] as number[],
    byId: new Map<string, number>(),
    byAddress: new Map<AddressKey, number[]>(),
    byAsset: new Map<bigint, number[]>(),
    byApplication: new Map<bigint, number[]>(),
    /** Rounds in which assets and applications were created. */
    assetCreations: new Map<bigint, bigint>(),
    applicationCreations: new Map<bigint, bigint>(),
    /** Rounds in which accounts last opted in to applications. */
    optIns: new Map<string, bigint>(),
  };
}

/** The ids that transactions are about, each once. */
function idsOf(all: readonly InnerTransaction[], idOf: (transaction: InnerTransaction) => bigint): Set<bigint> {
  return new Set(all.map(idOf).filter((id) => id !== 0n));
}

function listed<K>(lists: Map<K, number[]>, key: K): number[] {
  const known = lists.get(key);
  if (known) return known;
  const list: number[] = [];
  lists.set(key, list);
  return list;
}
