import { addressKey } from '../transaction/address-key.ts';
import type { ChainIndex } from './chain-index.ts';

/** The rounds in which accounts, assets and applications were created, as far as the kept blocks show it. */
export class Origins {
  readonly #index: ChainIndex;
  readonly #genesisAccounts: ReadonlySet<string>;

  constructor(index: ChainIndex) {
    this.#index = index;
    this.#genesisAccounts = new Set(index.chain.genesis.allocations.map(([address]) => addressKey(address)));
  }

  /** The round of an account's first transaction; undefined if unknown, or if only a developer control changed it. */
  accountRound(address: Uint8Array): bigint | undefined {
    if (this.#genesisAccounts.has(addressKey(address))) return 0n;
    const first = this.#areBlocksGone ? undefined : this.#index.withParticipant(address).at(0);
    return first === undefined ? undefined : this.#index.place(first).round;
  }

  /** The round in which an asset was created; 0 for one that was laid over the genesis; undefined if unknown. */
  assetRound(assetId: bigint): bigint | undefined {
    return this.#index.assetRound(assetId) ?? (this.#areBlocksGone ? undefined : 0n);
  }

  /** The round in which an application was created; undefined if its block is gone. */
  applicationRound(applicationId: bigint): bigint | undefined {
    return this.#index.applicationRound(applicationId);
  }

  /** The round in which an account opted in to an application; undefined if its block is gone. */
  optInRound(address: Uint8Array, applicationId: bigint): bigint | undefined {
    return this.#index.optInRound(addressKey(address), applicationId);
  }

  get #areBlocksGone(): boolean {
    return this.#index.chain.blocks.oldest > 0n;
  }
}
