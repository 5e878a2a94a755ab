import { X402Error } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import { Kysely, type OnConflictBuilder, sql } from 'kysely';
import { Pool } from 'pg';
import type { Catalogue } from '../discovery/catalogue.ts';
import type { DayTotal, LedgerFilter, LedgerQuery } from '../settlement/ledger.ts';
import { type Log, silentLog } from '../log/log.ts';
import {
  isFinal,
  type NewSettlement,
  type Settlement,
  type Transition,
  TRANSITIONS,
  UNFINISHED_STATES,
} from '../settlement/settlement.ts';
import {
  type Budget,
  type ChannelParty,
  type HeldLease,
  type RecordOptions,
  type RecordOutcome,
  SAFETY_ROUNDS,
  type SettlementStore,
  type TakeOverOptions,
} from '../settlement/settlement-store.ts';
import { EndingPostgresDialect } from './ending-postgres-dialect.ts';
import { entriesOfOrigin, findEntries, putEntry } from './catalogue-scripts.ts';
import { listSettlements, totalSettlements } from './ledger-scripts.ts';
import { type SettlementDatabase, settlementMigrator } from './postgres-schema.ts';
import { POSTGRES, runScript } from './postgres-scripts.ts';
import { leftOf, learnBound, raiseBounds, spendAlone, spendBesideOthers } from './postgres-spending.ts';
import type { Script } from './script.ts';
import { columnsOf, columnsOfStep, settlementOfRow } from './settlement-row.ts';
import {
  countOpenChannels,
  endChannel,
  expiredChannels,
  findSettlement,
  hindranceOf,
  leaseHolder,
  movesOfChannel,
} from './settlement-scripts.ts';

export interface PostgresSettlementStoreOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  readonly log?: Log;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * A settlement store that any number of replicas share. It creates and migrates its tables when it opens.
 *
 * @example
 * ```ts
 * import { createPostgresSettlementStore } from '@avm402/facilitator';
 *
 * const store = createPostgresSettlementStore({ url: 'postgres://avm402:secret@db.example/avm402' });
 * ```
 */
export function createPostgresSettlementStore(options: PostgresSettlementStoreOptions): SettlementStore {
  return new PostgresSettlementStore(options);
}

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 10_000;
/** Key of the advisory lock for writing the catalogue: its limits can't be locked row by row. */
const CATALOGUE_LOCK = 0x4156_4d35;

class PostgresSettlementStore implements SettlementStore {
  readonly catalogue: Catalogue = {
    put: (entry, options) =>
      this.#database.transaction().execute(async (transaction) => {
        await sql`SELECT pg_advisory_xact_lock(${CATALOGUE_LOCK})`.execute(transaction);
        return runScript(transaction, putEntry(POSTGRES, entry, options));
      }),
    find: (query) => this.#run(findEntries(POSTGRES, query)),
    ofOrigin: (origin) => this.#run(entriesOfOrigin(POSTGRES, origin)),
  };
  readonly #database: Kysely<SettlementDatabase>;
  readonly #now: () => number;

  constructor({ url, log = silentLog, now = Date.now }: PostgresSettlementStoreOptions) {
    const pool = new Pool({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
    });
    // A connection that breaks while idle is replaced; without a listener the error would end the process.
    pool.on('error', (error) => log.warn({ err: error }, 'a connection to PostgreSQL broke'));
    this.#database = new Kysely({ dialect: new EndingPostgresDialect(pool) });
    this.#now = now;
  }

  async open(): Promise<void> {
    const { error } = await settlementMigrator(this.#database).migrateToLatest();
    if (error === undefined) return;
    const reason = error instanceof Error ? error.message : 'it does not answer';
    throw new X402Error('store_unavailable', {
      message: `the settlement store in PostgreSQL: ${reason}`,
      cause: error,
    });
  }

  async id(): Promise<string> {
    return (await this.#database.selectFrom('avm402_store').select('id').executeTakeFirstOrThrow()).id;
  }

  async record(settlement: NewSettlement, options: RecordOptions): Promise<RecordOutcome> {
    const { terms, channel, lease } = settlement;
    if (channel === undefined && lease === undefined) {
      if (terms === undefined) return this.#insert(this.#database, settlement, options);
      const recorded = await this.#recordWithinBounds(settlement, options);
      if (recorded !== undefined) return recorded;
    }
    return this.#recordAlone(settlement, options);
  }

  async find(txId: string): Promise<Settlement | undefined> {
    return this.#run(findSettlement(POSTGRES, txId));
  }

  async leaseHolder(lease: HeldLease): Promise<string | undefined> {
    return this.#run(leaseHolder(POSTGRES, lease));
  }

  async change(txId: string, owner: string, transition: Transition): Promise<boolean> {
    if (transition.to === 'released') return this.#release(txId, owner);
    const end = isFinal({ state: transition.to }) ? { leased_until: sql<Date>`now()` } : {};
    const { numUpdatedRows } = await this.#database
      .updateTable('avm402_settlements')
      .set({ ...columnsOfStep(transition), ...end })
      .where('tx_id', '=', txId)
      .where('owner', '=', owner)
      .where('state', 'in', TRANSITIONS[transition.to])
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async deliver(txId: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#database
      .updateTable('avm402_settlements')
      .set({ delivered: true })
      .where('tx_id', '=', txId)
      .where('state', '=', 'confirmed')
      .where('delivered', '=', false)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async takeOver({ owner, leaseMs, networks, withOwn = false }: TakeOverOptions): Promise<Settlement[]> {
    const leased_until = leaseFrom(leaseMs);
    await this.#database
      .insertInto('avm402_owners')
      .values({ owner, leased_until })
      .onConflict((conflict) => conflict.column('owner').doUpdateSet({ leased_until }))
      .execute();
    if (networks.length === 0) return [];
    const living = this.#database
      .selectFrom('avm402_owners')
      .select('owner')
      .where('leased_until', '>', sql<Date>`now()`);
    const rows = await this.#database
      .updateTable('avm402_settlements')
      .set({ owner, leased_until })
      .where('state', 'in', UNFINISHED_STATES)
      .where('network', 'in', networks)
      .where((row) =>
        row.or([
          ...(withOwn ? [row('owner', '=', owner)] : []),
          row.and([
            // Two ranges, for the index on owners: if the owner has all rows, as it mostly does, nothing is read.
            row.or([row('owner', '<', owner), row('owner', '>', owner)]),
            row('leased_until', '<=', sql<Date>`now()`),
            row('owner', 'not in', living),
          ]),
        ]),
      )
      .returningAll()
      .execute();
    return rows.map(settlementOfRow);
  }

  async budgetLeft(network: Network, budget: Budget, upTo: bigint): Promise<bigint> {
    return leftOf(this.#database, network, budget, upTo);
  }

  async channel(id: string): Promise<Settlement[]> {
    return this.#run(movesOfChannel(POSTGRES, id));
  }

  async openChannels(network: Network, of: ChannelParty = {}): Promise<number> {
    return this.#run(countOpenChannels(POSTGRES, network, of));
  }

  async expiredChannels(
    network: Network,
    options: { readonly round: bigint; readonly limit: number },
  ): Promise<Settlement[]> {
    return this.#run(expiredChannels(POSTGRES, network, options));
  }

  async endChannel(id: string): Promise<void> {
    await this.#run(endChannel(POSTGRES, id));
  }

  async raiseRound(network: Network, round: bigint): Promise<void> {
    await this.#database.insertInto('avm402_rounds').values({ network, round }).onConflict(keepHighest).execute();
  }

  async lowerRound(network: Network, round: bigint): Promise<void> {
    await this.#database.transaction().execute(async (transaction) => {
      await transaction
        .updateTable('avm402_rounds')
        .set({ round })
        .where('network', '=', network)
        .where('round', '>', sql<string>`${round}`)
        .execute();
      await transaction
        .updateTable('avm402_settlements')
        .set({ round })
        .where('network', '=', network)
        .where('round', '>', sql<string>`${round}`)
        .where('state', 'in', UNFINISHED_STATES)
        .execute();
    });
  }

  async prune({ before, limit }: { readonly before: number; readonly limit: number }): Promise<number> {
    const old = this.#database
      .selectFrom('avm402_settlements')
      .innerJoin('avm402_rounds', 'avm402_rounds.network', 'avm402_settlements.network')
      .select('tx_id')
      .where('state', 'not in', UNFINISHED_STATES)
      .where('recorded_at', '<', sql<string>`${before}`)
      .where('leased_until', '<', new Date(before))
      .where(sql<boolean>`last_valid + ${SAFETY_ROUNDS} < avm402_rounds.round`)
      .where(sql<boolean>`(channel_expiry IS NULL OR channel_expiry + ${SAFETY_ROUNDS} < avm402_rounds.round)`)
      .where(sql<boolean>`(channel_open IS DISTINCT FROM 1 OR state = 'expired')`)
      .limit(limit);
    await this.#database.deleteFrom('avm402_owners').where('leased_until', '<', new Date(before)).execute();
    await this.#database
      .deleteFrom('avm402_spending_bounds')
      .where('since', '<', sql<string>`${before}`)
      .execute();
    const { numDeletedRows } = await this.#database
      .deleteFrom('avm402_settlements')
      .where('tx_id', 'in', old)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  async list(query: LedgerQuery): Promise<readonly Settlement[]> {
    return this.#run(listSettlements(POSTGRES, query));
  }

  async totals(filter: LedgerFilter): Promise<readonly DayTotal[]> {
    return this.#run(totalSettlements(POSTGRES, filter));
  }

  async checkWritable(): Promise<void> {
    await sql`UPDATE avm402_store SET id = id`.execute(this.#database);
  }

  async close(): Promise<void> {
    await this.#database.destroy();
  }

  #run<Result>(script: Script<Result>): Promise<Result> {
    return runScript(this.#database, script);
  }

  /** Writes the row beside other replicas; returns nothing if the bounds don't show that the budgets have room. */
  async #recordWithinBounds(settlement: NewSettlement, options: RecordOptions): Promise<RecordOutcome | undefined> {
    const transaction = await this.#database.startTransaction().execute();
    try {
      await spendBesideOthers(transaction);
      const recorded = await this.#insert(transaction, settlement, options);
      const isDone =
        recorded.outcome !== 'recorded' || (await raiseBounds(transaction, settlement, options.budgets ?? []));
      await (isDone ? transaction.commit() : transaction.rollback()).execute();
      return isDone ? recorded : undefined;
    } catch (error) {
      // The connection may be gone; the original error is known already.
      await transaction
        .rollback()
        .execute()
        .catch(() => {});
      throw error;
    }
  }

  /** Writes the row while no other replica spends anything. */
  async #recordAlone(settlement: NewSettlement, options: RecordOptions): Promise<RecordOutcome> {
    const { budgets = [], channelLimits } = options;
    const { network, sponsoredFee: fee } = settlement;
    return this.#database.transaction().execute(async (transaction) => {
      await spendAlone(transaction);
      const hindrance = await runScript(transaction, hindranceOf(POSTGRES, settlement, channelLimits));
      if (hindrance !== undefined) return hindrance;
      for (const budget of budgets) {
        if (!(await learnBound(transaction, network, { budget, fee }))) return { outcome: 'over_budget' };
      }
      const recorded = await this.#insert(transaction, settlement, options);
      await raiseBounds(transaction, settlement, []);
      return recorded;
    });
  }

  /** All replicas share the network's highest round; it is locked only to raise it. */
  async #insert(
    database: Kysely<SettlementDatabase>,
    settlement: NewSettlement,
    { owner, leaseMs }: RecordOptions,
  ): Promise<RecordOutcome> {
    const { txId, network } = settlement;
    const round = sql<bigint>`${settlement.round}::bigint`;
    const columns = { ...columnsOf(settlement), state: 'recorded', delivered: false, owner };
    const inserted = await database
      .with('known', (query) => query.selectFrom('avm402_rounds').select('round').where('network', '=', network))
      .with('raised', (query) =>
        query
          .insertInto('avm402_rounds')
          .columns(['network', 'round'])
          .expression(
            sql`SELECT ${network}, ${round} WHERE NOT EXISTS (SELECT FROM known WHERE known.round >= ${round})`,
          )
          .onConflict(keepHighest),
      )
      .insertInto('avm402_settlements')
      .values({
        ...columns,
        round: sql<bigint>`greatest(${round}, (SELECT known.round FROM known))`,
        recorded_at: this.#now(),
        leased_until: leaseFrom(leaseMs),
      })
      .onConflict((conflict) => conflict.column('tx_id').doNothing())
      .returningAll()
      .executeTakeFirst();
    if (inserted !== undefined) return { outcome: 'recorded', settlement: settlementOfRow(inserted) };
    const winner = await runScript(database, findSettlement(POSTGRES, txId));
    if (winner !== undefined) return { outcome: 'exists', settlement: winner };
    throw new X402Error('store_unavailable', {
      message: 'the settlement was released just now; the next try records it',
    });
  }

  async #release(txId: string, owner: string): Promise<boolean> {
    const { numDeletedRows } = await this.#database
      .deleteFrom('avm402_settlements')
      .where('tx_id', '=', txId)
      .where('owner', '=', owner)
      .where('state', 'in', TRANSITIONS.released)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }
}

function leaseFrom(leaseMs: number) {
  return sql<Date>`now() + ${leaseMs} * interval '1 millisecond'`;
}

function keepHighest(conflict: OnConflictBuilder<SettlementDatabase, 'avm402_rounds'>) {
  return conflict.column('network').doUpdateSet({
    round: sql<bigint>`greatest(avm402_rounds.round, excluded.round)`,
  });
}
