import { X402Error, type X402ErrorCode } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import { Kysely, type OnConflictBuilder, PostgresDialect, sql, type Transaction } from 'kysely';
import { Migrator } from 'kysely/migration';
import { Pool } from 'pg';
import { type Log, silentLog } from '../log.ts';
import type { NewSettlement, Settlement, SettlementState } from '../settlement.ts';
import {
  type Budget,
  type RecordOptions,
  type RecordOutcome,
  SAFETY_ROUNDS,
  type SettlementStore,
  type TakeOverOptions,
} from '../settlement-store.ts';
import { type SettlementDatabase, settlementMigrations } from './postgres-schema.ts';
import { columnsOf, settlementOfRow } from './settlement-row.ts';

export interface PostgresSettlementStoreOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  readonly log?: Log;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** A settlement store that any number of replicas share. Its tables are made, and brought up to date, when it opens. */
export function postgresSettlementStore(options: PostgresSettlementStoreOptions): SettlementStore {
  return new PostgresSettlementStore(options);
}

const UNFINISHED: readonly SettlementState[] = ['recorded', 'submitted', 'rejected'];

/** Key of the advisory lock under which the budget is spent: a sum can't be locked row by row. */
const BUDGET_LOCK = 0x4156_4d34;

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 10_000;

class PostgresSettlementStore implements SettlementStore {
  readonly #database: Kysely<SettlementDatabase>;
  readonly #now: () => number;

  constructor({ url, log = silentLog, now = Date.now }: PostgresSettlementStoreOptions) {
    const pool = new Pool({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
    });
    // A connection that breaks while nobody uses it is replaced; without a listener it would end the process.
    pool.on('error', (error) => log.warn({ err: error }, 'a connection to PostgreSQL broke'));
    this.#database = new Kysely({ dialect: new PostgresDialect({ pool }) });
    this.#now = now;
  }

  async open(): Promise<void> {
    const migrator = new Migrator({
      db: this.#database,
      provider: settlementMigrations,
      migrationTableName: 'avm402_migrations',
      migrationLockTableName: 'avm402_migrations_lock',
    });
    const { error } = await migrator.migrateToLatest();
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
    const { budget } = options;
    if (budget === undefined || settlement.budgetedFee === 0n) {
      return this.#insert(this.#database, settlement, options);
    }
    return this.#database.transaction().execute(async (transaction) => {
      const existing = await findIn(transaction, settlement.txId);
      if (existing !== undefined) return { outcome: 'exists', settlement: existing };
      if (await isOverBudget(transaction, settlement, budget)) return { outcome: 'over_budget' };
      return this.#insert(transaction, settlement, options);
    });
  }

  async find(txId: string): Promise<Settlement | undefined> {
    return findIn(this.#database, txId);
  }

  async submit(txId: string, owner: string): Promise<boolean> {
    return this.#change({ txId, owner, from: ['recorded'], to: { state: 'submitted' } });
  }

  async reject(txId: string, owner: string, reason: X402ErrorCode): Promise<boolean> {
    return this.#change({ txId, owner, from: ['submitted'], to: { state: 'rejected', reason } });
  }

  async confirm(txId: string, owner: string, confirmedRound: bigint): Promise<boolean> {
    const to = { state: 'confirmed', confirmed_round: confirmedRound, group_bytes: null } as const;
    return this.#change({ txId, owner, from: ['submitted', 'rejected'], to });
  }

  async expire(txId: string, owner: string): Promise<boolean> {
    const to = { state: 'expired', group_bytes: null } as const;
    return this.#change({ txId, owner, from: ['submitted', 'rejected'], to });
  }

  async release(txId: string, owner: string): Promise<boolean> {
    const { numDeletedRows } = await this.#database
      .deleteFrom('avm402_settlements')
      .where('tx_id', '=', txId)
      .where('owner', '=', owner)
      .where('state', 'in', UNFINISHED)
      .executeTakeFirst();
    return numDeletedRows > 0n;
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

  async takeOver({ owner, leaseMs, networks }: TakeOverOptions): Promise<Settlement[]> {
    if (networks.length === 0) return [];
    const rows = await this.#database
      .updateTable('avm402_settlements')
      .set({ owner, leased_until: leaseFrom(leaseMs) })
      .where('state', 'in', UNFINISHED)
      .where('network', 'in', networks)
      .where((row) => row.or([row('owner', '=', owner), row('leased_until', '<=', sql<Date>`now()`)]))
      .returningAll()
      .execute();
    return rows.map(settlementOfRow);
  }

  async budgetSpent(network: Network, since: number): Promise<bigint> {
    return spentSince(this.#database, network, since);
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
        .where('state', 'in', UNFINISHED)
        .execute();
    });
  }

  async prune({ before, limit }: { readonly before: number; readonly limit: number }): Promise<number> {
    const old = this.#database
      .selectFrom('avm402_settlements')
      .innerJoin('avm402_rounds', 'avm402_rounds.network', 'avm402_settlements.network')
      .select('tx_id')
      .where('state', 'not in', UNFINISHED)
      .where('recorded_at', '<', sql<string>`${before}`)
      .where('leased_until', '<', new Date(before))
      .where(sql<boolean>`last_valid + ${SAFETY_ROUNDS} < avm402_rounds.round`)
      .limit(limit);
    const { numDeletedRows } = await this.#database
      .deleteFrom('avm402_settlements')
      .where('tx_id', 'in', old)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  async close(): Promise<void> {
    await this.#database.destroy();
  }

  /** All replicas share the network's highest round: it is locked only where it is raised. */
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
    const winner = await findIn(database, txId);
    if (winner !== undefined) return { outcome: 'exists', settlement: winner };
    throw new X402Error('store_unavailable', {
      message: 'the settlement was released just now; the next try records it',
    });
  }

  async #change({ txId, owner, from, to }: Change): Promise<boolean> {
    const { numUpdatedRows } = await this.#database
      .updateTable('avm402_settlements')
      .set(to)
      .where('tx_id', '=', txId)
      .where('owner', '=', owner)
      .where('state', 'in', from)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }
}

interface Change {
  readonly txId: string;
  readonly owner: string;
  readonly from: readonly SettlementState[];
  readonly to: {
    readonly state: SettlementState;
    readonly reason?: X402ErrorCode;
    readonly confirmed_round?: bigint;
    readonly group_bytes?: null;
  };
}

async function findIn(database: Kysely<SettlementDatabase>, txId: string): Promise<Settlement | undefined> {
  const query = database.selectFrom('avm402_settlements').selectAll().where('tx_id', '=', txId);
  const row = await query.executeTakeFirst();
  return row && settlementOfRow(row);
}

function leaseFrom(leaseMs: number) {
  return sql<Date>`now() + ${leaseMs} * interval '1 millisecond'`;
}

function keepHighest(conflict: OnConflictBuilder<SettlementDatabase, 'avm402_rounds'>) {
  return conflict.column('network').doUpdateSet({
    round: sql<bigint>`greatest(avm402_rounds.round, excluded.round)`,
  });
}

async function isOverBudget(
  transaction: Transaction<SettlementDatabase>,
  { network, budgetedFee }: NewSettlement,
  { microAlgos, since }: Budget,
): Promise<boolean> {
  await sql`SELECT pg_advisory_xact_lock(${BUDGET_LOCK})`.execute(transaction);
  return (await spentSince(transaction, network, since)) + budgetedFee > microAlgos;
}

async function spentSince(database: Kysely<SettlementDatabase>, network: Network, since: number): Promise<bigint> {
  const { spent } = await database
    .selectFrom('avm402_settlements')
    .select(sql<string>`coalesce(sum(budgeted_fee), 0)`.as('spent'))
    .where('budgeted_fee', '>', '0')
    .where('network', '=', network)
    .where('recorded_at', '>=', sql<string>`${since}`)
    .where('state', '<>', 'expired')
    .executeTakeFirstOrThrow();
  return BigInt(spent);
}
