import { addressOr } from '../codec/address-text.ts';
import { refused } from '../errors.ts';
import { type Answer, jsonAnswer } from '../rest/answer.ts';
import { GoError, goParseUint } from '../rest/go-text.ts';
import { queryText, queryUint64 } from '../rest/parameter.ts';
import type { Json } from '../rest/plain-json.ts';
import { addressKey, type AddressKey, addressText } from '../transaction/address-key.ts';
import type { TransactionPlace } from '../ledger/transaction-tail.ts';

export const pageParameters = {
  limit: queryUint64('Most entries of the page; the largest page is the limit.'),
  next: queryText('The `next-token` of the page before.'),
};

interface PageSize {
  readonly usual: number;
  readonly most: number;
}

/** Page sizes, the same as other indexers have. */
export const LONG_PAGE: PageSize = { usual: 1000, most: 10_000 };
export const ENTRY_PAGE: PageSize = { usual: 100, most: 1000 };

/** The page that a request asks for. */
export interface PageAsked {
  readonly limit: bigint | undefined;
  readonly next: string | undefined;
}

/** A part of a list, and the token of the next part. */
interface Page<T> {
  readonly entries: readonly T[];
  readonly token: string | undefined;
}

/** How many entries a page has: as many as requested, within the limit. */
export function pageSize({ limit = 0n }: PageAsked, { usual, most }: PageSize): number {
  return limit === 0n ? usual : Math.min(Number(limit), most);
}

/** A page of a list of accounts, in the order of the bytes of their addresses. */
export function accountPage<T extends { readonly owner: AddressKey }>(
  list: readonly T[],
  asked: PageAsked,
  size: PageSize,
): Page<T> {
  const after = asked.next === undefined ? '' : parseAccountToken(asked.next);
  const entries = list.filter(({ owner }) => owner > after).slice(0, pageSize(asked, size));
  const last = entries.at(-1);
  return { entries, token: last && addressText(last.owner) };
}

interface AskedById extends PageAsked {
  /** The id of the only entry that is wanted. */
  readonly only: bigint | undefined;
}

interface IdPage<T> {
  /** The list's name in the answer. */
  readonly name: string;
  readonly round: bigint;
  readonly json: (id: bigint, value: T) => Json;
}

/** The answer with a page of a list by id, ascending. */
export function idPageAnswer<T>(
  list: readonly (readonly [id: bigint, value: T])[],
  asked: AskedById,
  { name, round, json }: IdPage<T>,
): Answer {
  const after = asked.next === undefined ? -1n : parseIdToken(asked.next);
  const { only } = asked;
  const those = list.filter(([id]) => id > after && (only === undefined || id === only));
  const entries = those.slice(0, pageSize(asked, ENTRY_PAGE));
  const last = entries.at(-1);
  return jsonAnswer({
    [name]: entries.map(([id, value]) => json(id, value)),
    'current-round': round,
    'next-token': last && String(last[0]),
  });
}

/** The token of the page that follows a transaction. */
export function placeToken({ round, index }: TransactionPlace): string {
  return `${round}.${index}`;
}

export function parsePlaceToken(token: string): TransactionPlace {
  const [, round = '', index] = /^(\d{1,15})\.(\d{1,9})$/.exec(token) ?? noToken(token);
  return { round: BigInt(round), index: Number(index) };
}

export function parseIdToken(token: string): bigint {
  const id = goParseUint(token);
  return id instanceof GoError ? noToken(token) : id;
}

function parseAccountToken(token: string): AddressKey {
  return addressKey(addressOr(token, () => noToken(token)));
}

function noToken(token: string): never {
  throw refused(`unable to parse next token: ${token}`);
}
