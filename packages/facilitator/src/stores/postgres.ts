import { X402Error } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import { Pool } from 'pg';
import type { Catalogue } from '../discovery/catalogue.ts';
import type { DayTotal, LedgerFilter, LedgerQuery } from '../settlement/ledger.ts';
import { type Log, silentLog } from '../log/log.ts';
import { type NewSettlement, type Settlement, type Transition, UNFINISHED_STATES } from '../settlement/settlement.ts';
import {
  type Budget,
  type ChannelParty,
  type HeldLease,
  type RecordOptions,
  type RecordOutcome,
  type SettlementStore,
  type TakeOverOptions,
} from '../settlement/settlement-store.ts';
import { storeUnavailable } from '../reason.ts';
import { entriesOfOrigin, findEntries, putEntry } from './catalogue-scripts.ts';
import { listSettlements, totalSettlements } from './ledger-scripts.ts';
import { migrate } from './postgres-schema.ts';
import { inTransaction, POSTGRES, runScript, runStatement } from './postgres-scripts.ts';
import { leftOf, learnBound, raiseBounds, SPEND_ALONE, SPEND_BESIDE_OTHERS } from './postgres-spending.ts';
import { type FoundRow, places, type Script, type Statement } from './script.ts';
import { columnsOf } from './settlement-row.ts';
import {
  countOpenChannels,
  deliveryOf,
  endChannel,
  expiredChannels,
  findSettlement,
  hindranceOf,
  leaseHolder,
  lowerRound,
  movesOfChannel,
  pruningOf,
  quoted,
  settlementOf,
  stepOf,
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

/** `?` milliseconds from now, by the database's clock. */
const LATER = `now() + ? * interval '1 millisecond'`;
const UNFINISHED = `state IN (${quoted(UNFINISHED_STATES)})`;
const KEEP_HIGHEST = 'ON CONFLICT (network) DO UPDATE SET round = greatest(avm402_rounds.round, excluded.round)';

class PostgresSettlementStore implements SettlementStore {
  readonly catalogue: Catalogue = {
    put: (entry, options) =>
      this.#transaction(function* () {
        yield { sql: 'SELECT pg_advisory_xact_lock(?)', values: [CATALOGUE_LOCK] };
        return yield* putEntry(POSTGRES, entry, options);
      }),
    find: (query) => this.#run(findEntries(POSTGRES, query)),
    ofOrigin: (origin) => this.#run(entriesOfOrigin(POSTGRES, origin)),
  };
  readonly #pool: Pool;
  readonly #now: () => number;
  #closing: Promise<void> | undefined;

  constructor({ url, log = silentLog, now = Date.now }: PostgresSettlementStoreOptions) {
    this.#pool = new Pool({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
    });
    // A connection that breaks while idle is replaced; without a listener the error would end the process.
    this.#pool.on('error', (error) => log.warn({ err: error }, 'a connection to PostgreSQL broke'));
    // The statements of one that breaks while it is used fail; so would the process, without this listener.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
    this.#now = now;
  }

  async open(): Promise<void> {
    try {
      await inTransaction(this.#pool, migrate);
    } catch (cause) {
      throw storeUnavailable('the settlement store in PostgreSQL', cause);
    }
  }

  async id(): Promise<string> {
    const [row] = await this.#rows({ sql: 'SELECT id FROM avm402_store', values: [] });
    return String(row?.['id']);
  }

  async record(settlement: NewSettlement, options: RecordOptions): Promise<RecordOutcome> {
    const { terms, channel, lease } = settlement;
    const now = this.#now();
    if (channel === undefined && lease === undefined) {
      if (terms === undefined) return this.#run(insert(settlement, options, now));
      const isKept = (outcome: RecordOutcome | undefined): boolean => outcome !== undefined;
      const recorded = await this.#transaction(() => recordWithinBounds(settlement, options, now), isKept);
      if (recorded !== undefined) return recorded;
    }
    return this.#transaction(() => recordAlone(settlement, options, now));
  }

  async find(txId: string): Promise<Settlement | undefined> {
    return this.#run(findSettlement(POSTGRES, txId));
  }

  async leaseHolder(lease: HeldLease): Promise<string | undefined> {
    return this.#run(leaseHolder(POSTGRES, lease));
  }

  async change(txId: string, owner: string, transition: Transition): Promise<boolean> {
    return this.#changes(stepOf(POSTGRES, { txId, owner, transition, end: { sql: 'now()', values: [] } }));
  }

  async deliver(txId: string): Promise<boolean> {
    return this.#changes(deliveryOf(POSTGRES, txId));
  }

  async takeOver({ owner, leaseMs, networks, withOwn = false }: TakeOverOptions): Promise<Settlement[]> {
    await this.#rows({
      sql: `INSERT INTO avm402_owners (owner, leased_until) VALUES (?, ${LATER})
        ON CONFLICT (owner) DO UPDATE SET leased_until = excluded.leased_until`,
      values: [owner, leaseMs],
    });
    if (networks.length === 0) return [];
    // Two ranges, for the index on owners: if the owner has all rows, as it mostly does, nothing is read.
    const free = `(owner < ? OR owner > ?) AND leased_until <= now()
      AND owner NOT IN (SELECT owner FROM avm402_owners WHERE leased_until > now())`;
    const rows = await this.#rows({
      sql: `UPDATE avm402_settlements SET owner = ?, leased_until = ${LATER}
        WHERE ${UNFINISHED} AND network IN (${places(networks)}) AND (${withOwn ? 'owner = ? OR ' : ''}(${free}))
        RETURNING *`,
      values: [owner, leaseMs, ...networks, ...(withOwn ? [owner] : []), owner, owner],
    });
    return rows.map(settlementOf);
  }

  async budgetLeft(network: Network, budget: Budget, upTo: bigint): Promise<bigint> {
    return this.#run(leftOf(network, budget, upTo));
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
    const sql = `INSERT INTO avm402_rounds (network, round) VALUES (?, ?) ${KEEP_HIGHEST}`;
    await this.#rows({ sql, values: [network, round] });
  }

  async lowerRound(network: Network, round: bigint): Promise<void> {
    await this.#transaction(() => lowerRound(POSTGRES, network, round));
  }

  async prune({ before, limit }: { readonly before: number; readonly limit: number }): Promise<number> {
    const sql = `DELETE FROM avm402_owners WHERE leased_until < ${POSTGRES.time}`;
    await this.#rows({ sql, values: [before] });
    await this.#rows({ sql: 'DELETE FROM avm402_spending_bounds WHERE since < ?', values: [before] });
    return this.#count(pruningOf(POSTGRES, { before, limit }));
  }

  async list(query: LedgerQuery): Promise<readonly Settlement[]> {
    return this.#run(listSettlements(POSTGRES, query));
  }

  async totals(filter: LedgerFilter): Promise<readonly DayTotal[]> {
    return this.#run(totalSettlements(POSTGRES, filter));
  }

  async checkWritable(): Promise<void> {
    await this.#rows({ sql: 'UPDATE avm402_store SET id = id', values: [] });
  }

  async close(): Promise<void> {
    // A pool ends once.
    await (this.#closing ??= this.#pool.end());
  }

  async #rows(statement: Statement): Promise<readonly FoundRow[]> {
    return (await runStatement(this.#pool, statement)).rows;
  }

  /** The number of rows that a statement changes. */
  async #count(statement: Statement): Promise<number> {
    return (await runStatement(this.#pool, statement)).rowCount ?? 0;
  }

  async #changes(statement: Statement): Promise<boolean> {
    return (await this.#count(statement)) > 0;
  }

  #run<Result>(script: Script<Result>): Promise<Result> {
    return runScript(this.#pool, script);
  }

  #transaction<Result>(script: () => Script<Result>, isKept?: (result: Result) => boolean): Promise<Result> {
    return inTransaction(this.#pool, (connection) => runScript(connection, script()), isKept);
  }
}

/** Writes the row beside other replicas; returns nothing if the bounds don't show that the budgets have room. */
function* recordWithinBounds(
  settlement: NewSettlement,
  options: RecordOptions,
  now: number,
): Script<RecordOutcome | undefined> {
  yield SPEND_BESIDE_OTHERS;
  const recorded = yield* insert(settlement, options, now);
  const isDone = recorded.outcome !== 'recorded' || (yield* raiseBounds(settlement, options.budgets ?? []));
  return isDone ? recorded : undefined;
}

/** Writes the row while no other replica spends anything. */
function* recordAlone(settlement: NewSettlement, options: RecordOptions, now: number): Script<RecordOutcome> {
  const { budgets = [], channelLimits } = options;
  const { network, sponsoredFee: fee } = settlement;
  yield SPEND_ALONE;
  const hindrance = yield* hindranceOf(POSTGRES, settlement, channelLimits);
  if (hindrance !== undefined) return hindrance;
  for (const budget of budgets) {
    if (!(yield* learnBound(network, { budget, fee }))) return { outcome: 'over_budget' };
  }
  const recorded = yield* insert(settlement, options, now);
  yield* raiseBounds(settlement, []);
  return recorded;
}

/** All replicas share the network's highest round; it is locked only to raise it. */
function* insert(settlement: NewSettlement, { owner, leaseMs }: RecordOptions, now: number): Script<RecordOutcome> {
  const { txId, network, round } = settlement;
  const columns = { ...columnsOf(settlement), state: 'recorded', recorded_at: now, owner };
  const [inserted] = yield {
    sql: `WITH known AS (SELECT round FROM avm402_rounds WHERE network = ?),
      raised AS (INSERT INTO avm402_rounds (network, round)
        SELECT ?, ?::bigint WHERE NOT EXISTS (SELECT FROM known WHERE known.round >= ?) ${KEEP_HIGHEST})
      INSERT INTO avm402_settlements (${Object.keys(columns).join(', ')}, delivered, round, leased_until)
      VALUES (${places(Object.keys(columns))}, FALSE, greatest(?::bigint, (SELECT known.round FROM known)), ${LATER})
      ON CONFLICT (tx_id) DO NOTHING RETURNING *`,
    values: [network, network, round, round, ...Object.values(columns), round, leaseMs],
  };
  if (inserted !== undefined) return { outcome: 'recorded', settlement: settlementOf(inserted) };
  const winner = yield* findSettlement(POSTGRES, txId);
  if (winner !== undefined) return { outcome: 'exists', settlement: winner };
  throw new X402Error('store_unavailable', {
    message: 'the settlement was released just now; the next try records it',
  });
}
