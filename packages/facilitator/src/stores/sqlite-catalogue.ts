import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import {
  type Catalogue,
  type CatalogueBounds,
  type CatalogueEntry,
  type CataloguePage,
  type CatalogueQuery,
  merged,
} from '../discovery/catalogue.ts';
import type { NotListed } from '../discovery/not-listed.ts';
import { type CatalogueRow, catalogueColumns, entryOfRow, offerPart } from './catalogue-row.ts';

type Values = readonly SQLInputValue[];

const PLACE = 'ORDER BY listed DESC, resource, pay_to';

/**
 * The catalogue in the file of a settlement store. No method awaits between its statements, so nothing comes between
 * them.
 */
export class SqliteCatalogue implements Catalogue {
  readonly #database: () => DatabaseSync;

  /** @param database the open file; throws while it is closed */
  constructor(database: () => DatabaseSync) {
    this.#database = database;
  }

  async put(
    entry: CatalogueEntry,
    { since, bounds }: { readonly since: number; readonly bounds: CatalogueBounds },
  ): Promise<NotListed | undefined> {
    this.#database().prepare('DELETE FROM catalogue WHERE updated_at < ?').run(since);
    const { resource, payTo } = entry;
    const [known] = this.#entries('WHERE resource = ? AND pay_to = ?', [resource, payTo]);
    if (known?.listed === true && !entry.listed) return 'not_the_seller';
    if (known === undefined) {
      if (this.#count('WHERE pay_to = ?', [payTo]) >= bounds.ofSeller) return 'seller_has_too_many';
      if (!entry.listed && this.#count('WHERE listed = 0', []) >= bounds.unlisted) return 'catalogue_full';
    }
    const columns = catalogueColumns(merged(known, entry));
    const places = Object.keys(columns).map(() => '?');
    this.#database()
      .prepare(`INSERT OR REPLACE INTO catalogue (${Object.keys(columns).join(', ')}) VALUES (${places.join(', ')})`)
      .run(...Object.values(columns));
    return undefined;
  }

  async find(query: CatalogueQuery): Promise<CataloguePage> {
    const { where, values } = conditionsOf(query);
    const entries = this.#entries(`${where} ${PLACE} LIMIT ? OFFSET ?`, [...values, query.limit, query.offset]);
    return { entries, total: this.#count(where, values) };
  }

  async ofOrigin(origin: string): Promise<readonly CatalogueEntry[]> {
    return this.#entries(`WHERE origin = ? ${PLACE}`, [origin]);
  }

  #entries(clauses: string, values: Values): CatalogueEntry[] {
    // The schema has this column.
    const rows = this.#database()
      .prepare(`SELECT entry FROM catalogue ${clauses}`)
      .all(...values) as unknown as CatalogueRow[];
    return rows.map(entryOfRow);
  }

  #count(where: string, values: Values): number {
    const row = this.#database()
      .prepare(`SELECT COUNT(*) AS count FROM catalogue ${where}`)
      .get(...values);
    return Number(row?.['count']);
  }
}

function conditionsOf(query: CatalogueQuery): { readonly where: string; readonly values: Values } {
  const part = offerPart(query);
  const conditions: [string, SQLInputValue][] = [
    ['updated_at >= ?', query.since],
    ...(query.type === undefined ? [] : [['type = ?', query.type] satisfies [string, string]]),
    ...(query.payTo === undefined ? [] : [['pay_to = ?', query.payTo] satisfies [string, string]]),
    // Not LIKE: a stranger's search text must not act as a pattern.
    ...(part === undefined ? [] : [['instr(offers, ?) > 0', part] satisfies [string, string]]),
    ...(query.words ?? []).map((word): [string, string] => ['instr(words, ?) > 0', word]),
  ];
  const where = `WHERE ${conditions.map(([condition]) => condition).join(' AND ')}`;
  return { where, values: conditions.map(([, value]) => value) };
}
