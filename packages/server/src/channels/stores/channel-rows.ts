import type { VersionedRows } from '../../stores/versioned-rows.ts';
import type { Channel, ChannelRequest } from '../record/channel.ts';
import {
  amountKey,
  channelOf,
  type ChannelRow,
  listedChannelOf,
  rememberedOf,
  requestOf,
  type RequestRow,
} from './channel-row.ts';
import type { ChannelPage, ChannelStore, RememberedRequest, UnreadableChannel } from '../record/channel-store.ts';

/** The names of a database's tables, except for that of channels. */
export interface ChannelTables {
  readonly requests: string;
  readonly deposits: string;
  readonly claimKey: string;
}

/**
 * Channels as rows of a database, except for writing them: changes are written together, as fast as the database can.
 */
export class ChannelRows implements Omit<ChannelStore, 'write'> {
  readonly #rows: VersionedRows;
  readonly #tables: ChannelTables;

  constructor(rows: VersionedRows, tables: ChannelTables) {
    this.#rows = rows;
    this.#tables = tables;
  }

  async get(channelId: string): Promise<Channel | undefined> {
    const query = `SELECT terms, progress FROM ${this.#rows.table.name} WHERE channel_id = ?`;
    const [row] = await this.#rows.find<ChannelRow>(query, [channelId]);
    return row && channelOf(row);
  }

  async remembered(channelId: string): Promise<readonly RememberedRequest[]> {
    const { requests } = this.#tables;
    const query = `SELECT amount, charge, owner, payment_id FROM ${requests} WHERE channel_id = ? ORDER BY amount`;
    return (await this.#rows.find<RequestRow>(query, [channelId])).map(rememberedOf);
  }

  async request(channelId: string, amount: bigint): Promise<ChannelRequest | undefined> {
    const query = `SELECT * FROM ${this.#tables.requests} WHERE channel_id = ? AND amount = ?`;
    const [row] = await this.#rows.find<RequestRow>(query, [channelId, amountKey(amount)]);
    return row && requestOf(row);
  }

  async hasDeposit(txId: string): Promise<boolean> {
    const query = `SELECT tx_id FROM ${this.#tables.deposits} WHERE tx_id = ?`;
    return (await this.#rows.find(query, [txId])).length > 0;
  }

  async unfinished({ after = '', limit }: ChannelPage): Promise<readonly (Channel | UnreadableChannel)[]> {
    const query = `SELECT channel_id, terms, progress FROM ${this.#rows.table.name}
      WHERE state IN ('open', 'closing') AND channel_id > ? ORDER BY channel_id LIMIT ?`;
    return (await this.#rows.find<ChannelRow>(query, [after, limit])).map(listedChannelOf);
  }

  async prune(now: number): Promise<void> {
    const { requests } = this.#tables;
    const due = `SELECT channel_id, amount FROM ${requests} WHERE kept_until <= ? ${this.#rows.unlocked}`;
    const forgetting = `UPDATE ${requests} SET body = NULL, kept_until = NULL WHERE (channel_id, amount) IN (${due})`;
    await this.#rows.run(forgetting, [now]);
  }

  async claimKey(made: Uint8Array): Promise<Uint8Array> {
    const { claimKey } = this.#tables;
    await this.#rows.run(`INSERT INTO ${claimKey} (id, seed) VALUES (1, ?) ON CONFLICT (id) DO NOTHING`, [made]);
    const [kept] = await this.#rows.find<{ seed: Uint8Array }>(`SELECT seed FROM ${claimKey}`);
    return kept?.seed ?? made;
  }
}
