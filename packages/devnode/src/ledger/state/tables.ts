import { bytes, bytes32 } from '../../codec/bytes.ts';
import { uint64 } from '../../codec/integer.ts';
import { converted, type Kind } from '../../codec/kind.ts';
import { assetHolding, type AssetHolding } from '../../codec/schema/account.ts';
import {
  applicationParams,
  type ApplicationParams,
  localState,
  type LocalState,
} from '../../codec/schema/application.ts';
import { assetParams, type AssetParams } from '../../codec/schema/transaction.ts';
import { field, requiredField, Struct } from '../../codec/struct.ts';
import { byteString } from '../../codec/text.ts';
import { addressKey, type AddressKey, addressOfKey } from '../../transaction/address-key.ts';
import { account, type Account, isEmptyAccount } from '../account.ts';
import { nullable } from '../../codec/optional.ts';

/** An asset or an application with its creator. */
export interface Created<Params> {
  readonly creator: AddressKey;
  readonly params: Params;
}

export type CreatedAsset = Created<AssetParams>;
export type Application = Created<ApplicationParams>;

/** An account and an asset, or an application, as one key: the owner's 32 characters, then the id. */
export type HoldingKey = string;

export function holdingKey(owner: AddressKey, id: bigint): HoldingKey {
  return owner + String(id);
}

export function ownerAndId(key: HoldingKey): { readonly owner: AddressKey; readonly id: bigint } {
  return { owner: key.slice(0, 32), id: BigInt(key.slice(32)) };
}

/** An application's id and the name of a box, one character per byte, with a colon between them. */
type BoxKey = string;

export function boxKey(applicationId: bigint, name: string): BoxKey {
  return `${applicationId}:${name}`;
}

export function applicationAndName(key: BoxKey): { readonly applicationId: bigint; readonly name: string } {
  const at = key.indexOf(':');
  return { applicationId: BigInt(key.slice(0, at)), name: key.slice(at + 1) };
}

/** The keys and values of each table of the ledger. */
interface Tables {
  readonly accounts: { readonly key: AddressKey; readonly value: Account };
  readonly holdings: { readonly key: HoldingKey; readonly value: AssetHolding };
  readonly assets: { readonly key: bigint; readonly value: CreatedAsset };
  readonly applications: { readonly key: bigint; readonly value: Application };
  readonly localStates: { readonly key: HoldingKey; readonly value: LocalState };
  readonly boxes: { readonly key: BoxKey; readonly value: Uint8Array };
}

export type TableName = keyof Tables;
export type KeyOf<Name extends TableName> = Tables[Name]['key'];
export type StoredValue<Name extends TableName> = Tables[Name]['value'];

/** A key with its value; undefined: the value was cleared. */
export type Entry<Name extends TableName> = readonly [KeyOf<Name>, StoredValue<Name> | undefined];

/** How the entries of a table are written to a state file. */
export interface FileForm<Name extends TableName> {
  /** The name of the list of entries. */
  readonly key: string;
  readonly entry: Kind<Entry<Name>>;
  /** How many entries are read at once; those that may hold much are read in smaller parts. */
  readonly part: number;
}

/** The msgpack reader accepts a hundred thousand values at once, and most entries have about twenty. */
export const PART = 1000;
const SMALL_PART = 100;

const accountEntry = new Struct({ address: field('k', bytes32), account: requiredField('v', nullable(account)) });

const boxEntry = new Struct({
  id: field('id', uint64),
  name: field('n', byteString),
  content: requiredField('v', nullable(bytes)),
});

/** An entry of an account's holding, or of its state in an application. */
function ownedEntry<T>(value: Kind<T>): Kind<readonly [HoldingKey, T | undefined]> {
  const entry = { owner: field('k', bytes32), id: field('id', uint64), value: requiredField('v', nullable(value)) };
  return converted(new Struct(entry), {
    to([key, owned]) {
      const { owner, id } = ownerAndId(key);
      return { owner: addressOfKey(owner), id, value: owned };
    },
    from: ({ owner, id, value: owned }) => [holdingKey(addressKey(owner), id), owned],
  });
}

/** An entry of an asset or application that an account created. */
function createdEntry<T>(params: Kind<T>): Kind<readonly [bigint, Created<T> | undefined]> {
  const created = new Struct({ creator: field('c', bytes32), params: field('p', params) });
  return converted(new Struct({ id: field('id', uint64), created: requiredField('v', nullable(created)) }), {
    to: ([id, value]) => ({ id, created: value && { ...value, creator: addressOfKey(value.creator) } }),
    from: ({ id, created: value }) => [id, value && { ...value, creator: addressKey(value.creator) }],
  });
}

/** The ledger's tables. Deltas, the confirmed state, its marks and state files have all of them. */
export const TABLES: { readonly [Name in TableName]: FileForm<Name> } = {
  accounts: {
    key: 'accts',
    part: PART,
    entry: converted(accountEntry, {
      to: ([key, value]) => ({ address: addressOfKey(key), account: value }),
      from: ({ address, account: value }) => [addressKey(address), value && !isEmptyAccount(value) ? value : undefined],
    }),
  },
  holdings: { key: 'holds', part: PART, entry: ownedEntry(assetHolding) },
  assets: { key: 'assets', part: PART, entry: createdEntry(assetParams) },
  applications: { key: 'apps', part: SMALL_PART, entry: createdEntry(applicationParams) },
  localStates: { key: 'locals', part: SMALL_PART, entry: ownedEntry(localState) },
  boxes: {
    key: 'boxes',
    part: SMALL_PART,
    entry: converted(boxEntry, {
      to([key, content]) {
        const { applicationId: id, name } = applicationAndName(key);
        return { id, name, content };
      },
      from: ({ id, name, content }) => [boxKey(id, name), content],
    }),
  },
};

export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

/** Makes one value for each table. TypeScript can't tell that the value made for a name is `Each[Name]`. */
export function perTable<Each extends { readonly [Name in TableName]: unknown }>(
  make: <Name extends TableName>(name: Name) => unknown,
): Each {
  const made: Partial<Record<TableName, unknown>> = {};
  for (const name of TABLE_NAMES) made[name] = make(name);
  return made as Each;
}
