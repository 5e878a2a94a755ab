import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import {
  type Catalogue,
  type CatalogueBounds,
  type CatalogueEntry,
  type CataloguePage,
  type CatalogueQuery,
  merged,
} from '../discovery/catalogue.ts';
import type { NotListed } from '../discovery/not-listed.ts';
import { catalogueColumns, entryOfRow, offerPart } from './catalogue-row.ts';
import type { SettlementDatabase } from './postgres-schema.ts';

/** Key of the advisory lock for writing the catalogue: its limits can't be locked row by row. */
const CATALOGUE_LOCK = 0x4156_4d35;

type Rows<Output> = SelectQueryBuilder<SettlementDatabase, 'avm402_catalogue', Output>;

/** The catalogue beside the settlements of a PostgreSQL store. */
export class PostgresCatalogue implements Catalogue {
  readonly #database: Kysely<SettlementDatabase>;

  constructor(database: Kysely<SettlementDatabase>) {
    this.#database = database;
  }

  async put(
    entry: CatalogueEntry,
    { since, bounds }: { readonly since: number; readonly bounds: CatalogueBounds },
  ): Promise<NotListed | undefined> {
    return this.#database.transaction().execute(async (transaction) => {
      await sql`SELECT pg_advisory_xact_lock(${CATALOGUE_LOCK})`.execute(transaction);
      await transaction
        .deleteFrom('avm402_catalogue')
        .where('updated_at', '<', sql<string>`${since}`)
        .execute();
      const { resource, payTo } = entry;
      const row = await transaction
        .selectFrom('avm402_catalogue')
        .select('entry')
        .where('resource', '=', resource)
        .where('pay_to', '=', payTo)
        .executeTakeFirst();
      const known = row && entryOfRow(row);
      if (known?.listed === true && !entry.listed) return 'not_the_seller';
      const refusal = known === undefined ? await beyond(transaction, entry, bounds) : undefined;
      if (refusal !== undefined) return refusal;
      const columns = catalogueColumns(merged(known, entry));
      await transaction
        .insertInto('avm402_catalogue')
        .values(columns)
        .onConflict((conflict) => conflict.columns(['resource', 'pay_to']).doUpdateSet(columns))
        .execute();
      return undefined;
    });
  }

  async find(query: CatalogueQuery): Promise<CataloguePage> {
    const rows = await asked(this.#database.selectFrom('avm402_catalogue'), query)
      .select('entry')
      .$call(inPlace)
      .limit(query.limit)
      .offset(query.offset)
      .execute();
    const { count } = await asked(this.#database.selectFrom('avm402_catalogue'), query)
      .select(sql<string>`count(*)`.as('count'))
      .executeTakeFirstOrThrow();
    return { entries: rows.map(entryOfRow), total: Number(count) };
  }

  async ofOrigin(origin: string): Promise<readonly CatalogueEntry[]> {
    const rows = await this.#database
      .selectFrom('avm402_catalogue')
      .select('entry')
      .where('origin', '=', origin)
      .$call(inPlace)
      .execute();
    return rows.map(entryOfRow);
  }
}

async function beyond(
  database: Kysely<SettlementDatabase>,
  { payTo, listed }: CatalogueEntry,
  { ofSeller, unlisted }: CatalogueBounds,
): Promise<NotListed | undefined> {
  const { own, unknown } = await database
    .selectFrom('avm402_catalogue')
    .select([
      sql<string>`count(*) FILTER (WHERE pay_to = ${payTo})`.as('own'),
      sql<string>`count(*) FILTER (WHERE listed = 0)`.as('unknown'),
    ])
    .executeTakeFirstOrThrow();
  if (Number(own) >= ofSeller) return 'seller_has_too_many';
  return !listed && Number(unknown) >= unlisted ? 'catalogue_full' : undefined;
}

function asked<Output>(rows: Rows<Output>, query: CatalogueQuery): Rows<Output> {
  const part = offerPart(query);
  // Not LIKE: a stranger's search text must not act as a pattern.
  const parts = [
    ...(part === undefined ? [] : [sql<boolean>`strpos(offers, ${part}) > 0`]),
    ...(query.words ?? []).map((word) => sql<boolean>`strpos(words, ${word}) > 0`),
  ];
  const columns = {
    ...(query.type !== undefined && { type: query.type }),
    ...(query.payTo !== undefined && { pay_to: query.payTo }),
  };
  return rows
    .where('updated_at', '>=', sql<string>`${query.since}`)
    .where((row) => row.and([row.and(columns), ...parts]));
}

/** Orders byte by byte, whatever the database's language. */
function inPlace<Output>(rows: Rows<Output>): Rows<Output> {
  return rows
    .orderBy('listed', 'desc')
    .orderBy(sql`resource COLLATE "C"`)
    .orderBy(sql`pay_to COLLATE "C"`);
}
