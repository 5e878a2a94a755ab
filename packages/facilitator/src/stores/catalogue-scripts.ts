import {
  type Catalogue,
  type CatalogueEntry,
  type CataloguePage,
  type CatalogueQuery,
  merged,
} from '../discovery/catalogue.ts';
import type { NotListed } from '../discovery/not-listed.ts';
import { type Dialect, places, type Script, type Statement, whereAll } from './script.ts';

/** As `Catalogue.put`. */
export function* putEntry(
  dialect: Dialect,
  entry: CatalogueEntry,
  { since, bounds }: Parameters<Catalogue['put']>[1],
): Script<NotListed | undefined> {
  yield { sql: `DELETE FROM ${dialect.catalogue} WHERE updated_at < ?`, values: [since] };
  const { resource, payTo, listed } = entry;
  const own = { sql: 'WHERE resource = ? AND pay_to = ?', values: [resource, payTo] };
  const [known] = yield* entriesThat(dialect, own);
  if (known?.listed === true && !listed) return 'not_the_seller';
  if (known === undefined) {
    const ofSeller = { sql: 'WHERE pay_to = ?', values: [payTo] };
    if ((yield* countThat(dialect, ofSeller)) >= bounds.ofSeller) return 'seller_has_too_many';
    const unlisted = { sql: 'WHERE listed = 0', values: [] };
    if (!listed && (yield* countThat(dialect, unlisted)) >= bounds.unlisted) return 'catalogue_full';
  }
  yield replacement(dialect, merged(known, entry));
  return undefined;
}

/** As `Catalogue.find`. */
export function* findEntries(dialect: Dialect, query: CatalogueQuery): Script<CataloguePage> {
  const { type, payTo, since, words = [], limit, offset } = query;
  const part = offerPart(query);
  // Not LIKE: a stranger's search text must not act as a pattern.
  const holds = (column: string, text: string): Statement => ({
    sql: `${dialect.position}(${column}, ?) > 0`,
    values: [text],
  });
  const where = whereAll([
    { sql: 'updated_at >= ?', values: [since] },
    ...(type === undefined ? [] : [{ sql: 'type = ?', values: [type] }]),
    ...(payTo === undefined ? [] : [{ sql: 'pay_to = ?', values: [payTo] }]),
    ...(part === undefined ? [] : [holds('offers', part)]),
    ...words.map((word) => holds('words', word)),
  ]);
  const page = { sql: `${where.sql} ${inPlace(dialect)} LIMIT ? OFFSET ?`, values: [...where.values, limit, offset] };
  return { entries: yield* entriesThat(dialect, page), total: yield* countThat(dialect, where) };
}

/** As `Catalogue.ofOrigin`. */
export function entriesOfOrigin(dialect: Dialect, origin: string): Script<CatalogueEntry[]> {
  return entriesThat(dialect, { sql: `WHERE origin = ? ${inPlace(dialect)}`, values: [origin] });
}

function* entriesThat({ catalogue }: Dialect, { sql, values }: Statement): Script<CatalogueEntry[]> {
  const rows = yield { sql: `SELECT entry FROM ${catalogue} ${sql}`, values };
  // Written by `replacement`.
  return rows.map(({ entry }) => JSON.parse(String(entry)) as CatalogueEntry);
}

function* countThat({ catalogue }: Dialect, { sql, values }: Statement): Script<number> {
  const [row] = yield { sql: `SELECT count(*) AS count FROM ${catalogue} ${sql}`, values };
  return Number(row?.['count']);
}

/** Orders byte by byte, whatever the database's language. */
function inPlace({ byBytes }: Dialect): string {
  return `ORDER BY listed DESC, resource${byBytes}, pay_to${byBytes}`;
}

function replacement({ catalogue }: Dialect, entry: CatalogueEntry): Statement {
  const columns = columnsOf(entry);
  const names = Object.keys(columns);
  const values = Object.values(columns);
  const changes = names.map((name) => `${name} = excluded.${name}`);
  const sql = `INSERT INTO ${catalogue} (${names.join(', ')}) VALUES (${places(values)})
    ON CONFLICT (resource, pay_to) DO UPDATE SET ${changes.join(', ')}`;
  return { sql, values };
}

/** The columns of an entry. Queries search for parts in `words` and `offers`; `entry` is the whole entry as JSON. */
function columnsOf(entry: CatalogueEntry) {
  const { resource, about, accepts } = entry;
  const { description = '', serviceName = '', tags = [] } = about;
  return {
    resource,
    pay_to: entry.payTo,
    origin: new URL(resource).origin,
    type: entry.type,
    listed: entry.listed ? 1 : 0,
    updated_at: entry.updatedAt,
    words: [resource, description, serviceName, ...tags].join('\n').toLowerCase(),
    offers: accepts.map(({ scheme, network }) => `|${scheme}|${network}|${scheme} ${network}|`).join(''),
    entry: JSON.stringify(entry),
  };
}

/** The part of `offers` that a query searches for, if any. */
function offerPart({ scheme, network }: CatalogueQuery): string | undefined {
  const parts = [scheme, network].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : `|${parts.join(' ')}|`;
}
