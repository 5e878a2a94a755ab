// The state of the model: plain maps, copied as a whole wherever something may have to be taken back.
import type { AssetParams } from '../../../src/codec/schema/transaction.ts';
import { addressKey, type AddressKey } from '../../../src/transaction/address-key.ts';

/** A value of an application's state; bytes with one character for each. */
export type Value = bigint | string;

export interface Schema {
  readonly uints: bigint;
  readonly byteSlices: bigint;
}

export interface NaiveAccount {
  balance: bigint;
  auth: AddressKey | undefined;
  /** What it pays for: integers, byte slices and pages. All else is counted when it is asked for. */
  uints: bigint;
  byteSlices: bigint;
  pages: bigint;
}

export interface NaiveApplication {
  readonly creator: AddressKey;
  approval: string;
  clear: string;
  globalSchema: Schema;
  readonly localSchema: Schema;
  pages: bigint;
  version: bigint;
  sponsor: AddressKey | undefined;
  readonly globals: Map<string, Value>;
}

export interface NaiveLocalState {
  readonly owner: AddressKey;
  readonly application: bigint;
  readonly schema: Schema;
  readonly keys: Map<string, Value>;
}

export interface World {
  /** The number of transactions so far, inner ones included. */
  counter: bigint;
  readonly accounts: Map<AddressKey, NaiveAccount>;
  readonly holdings: Map<
    string,
    { readonly owner: AddressKey; readonly asset: bigint; amount: bigint; frozen: boolean }
  >;
  readonly assets: Map<bigint, { readonly creator: AddressKey; readonly params: AssetParams }>;
  readonly applications: Map<bigint, NaiveApplication>;
  readonly locals: Map<string, NaiveLocalState>;
  readonly boxes: Map<string, { readonly application: bigint; readonly name: string; content: string }>;
}

/** The same world, which may change without the other. */
export function copyOf(world: World): World {
  const copied = <Key, Item>(map: ReadonlyMap<Key, Item>, copy: (item: Item) => Item): Map<Key, Item> =>
    new Map([...map].map(([key, item]) => [key, copy(item)]));
  return {
    counter: world.counter,
    accounts: copied(world.accounts, (account) => ({ ...account })),
    holdings: copied(world.holdings, (holding) => ({ ...holding })),
    assets: new Map(world.assets),
    applications: copied(world.applications, (one) => ({ ...one, globals: new Map(one.globals) })),
    locals: copied(world.locals, (local) => ({ ...local, keys: new Map(local.keys) })),
    boxes: copied(world.boxes, (box) => ({ ...box })),
  };
}

/** Why the model refuses: words that algod's message has, too. */
export class Refused extends Error {}

export function refuse(words: string): never {
  throw new Refused(words);
}

/** An owner and a number as a key; also an application's id and a box's name. */
export const pair = (one: string | bigint, other: string | bigint): string => `${one}/${other}`;

export function accountOf(world: World, key: AddressKey): NaiveAccount {
  const known = world.accounts.get(key);
  if (known !== undefined) return known;
  const account = { balance: 0n, auth: undefined, uints: 0n, byteSlices: 0n, pages: 0n };
  world.accounts.set(key, account);
  return account;
}

export function move(world: World, from: AddressKey, to: AddressKey, amount: bigint): void {
  const payer = accountOf(world, from);
  if (payer.balance < amount) refuse('overspend');
  payer.balance -= amount;
  accountOf(world, to).balance += amount;
}

/** What an account has, counted by looking through everything. */
export interface Holdings {
  readonly assets: number;
  readonly createdAssets: number;
  readonly created: number;
  readonly optedIn: number;
  readonly boxes: number;
  readonly boxBytes: number;
}

export function holdingsOf(world: World, key: AddressKey, addressOf: (application: bigint) => AddressKey): Holdings {
  const owned = <Item>(items: Iterable<Item>, isOwn: (item: Item) => boolean): Item[] => [...items].filter(isOwn);
  const boxes = owned(world.boxes.values(), ({ application }) => addressOf(application) === key);
  return {
    assets: owned(world.holdings.values(), ({ owner }) => owner === key).length,
    createdAssets: owned(world.assets.values(), ({ creator }) => creator === key).length,
    created: owned(world.applications.values(), ({ creator }) => creator === key).length,
    optedIn: owned(world.locals.values(), ({ owner }) => owner === key).length,
    boxes: boxes.length,
    boxBytes: boxes.reduce((sum, { name, content }) => sum + name.length + content.length, 0),
  };
}

/** µAlgo that an account must keep (the reference's formula, with constants of its own). */
export function minimumOf(world: World, key: AddressKey, addressOf: (application: bigint) => AddressKey): bigint {
  const { assets, created, optedIn, boxes, boxBytes } = holdingsOf(world, key, addressOf);
  const { uints, byteSlices, pages } = accountOf(world, key);
  const places = BigInt(1 + assets + created + optedIn) + pages;
  const values = 25_000n * (uints + byteSlices) + 3500n * uints + 25_000n * byteSlices;
  return 100_000n * places + values + 2500n * BigInt(boxes) + 400n * BigInt(boxBytes);
}

/** Adds to what an account pays for, or with -1 takes away; never below nothing. */
export function payFor(account: NaiveAccount, { uints, byteSlices }: Schema, pages: bigint, sign: 1n | -1n): void {
  const atLeastNothing = (value: bigint): bigint => (value < 0n ? 0n : value);
  account.uints = atLeastNothing(account.uints + sign * uints);
  account.byteSlices = atLeastNothing(account.byteSlices + sign * byteSlices);
  account.pages = atLeastNothing(account.pages + sign * pages);
}

export function checkSchema(values: Iterable<Value>, schema: Schema): void {
  const list = [...values];
  const uints = list.filter((value) => typeof value === 'bigint').length;
  if (BigInt(uints) > schema.uints) refuse(`store integer count ${uints} exceeds schema integer count ${schema.uints}`);
  const bytes = list.length - uints;
  if (BigInt(bytes) > schema.byteSlices) {
    refuse(`store bytes count ${bytes} exceeds schema bytes count ${schema.byteSlices}`);
  }
}

const ZERO = '\0'.repeat(32);

/** The key of an address; undefined for the zero address, which means that none is given. */
export function givenKey(address: Uint8Array): AddressKey | undefined {
  const key = addressKey(address);
  return key === ZERO ? undefined : key;
}

/** Entries in the order of their keys. */
export const sorted = <Key extends string | number, Item>(entries: Iterable<readonly [Key, Item]>) =>
  [...entries].toSorted(([one], [other]) => (one < other ? -1 : 1));
