import { bytes32, bytes64, isAllZero } from '../../codec/bytes.ts';
import { boolean, uint32, uint64, uint8 } from '../../codec/integer.ts';
import { converted, type Kind, type ValueOf } from '../../codec/kind.ts';
import { nullable } from '../../codec/nullable.ts';
import { assetHolding } from '../../codec/schema/account.ts';
import { assetParams } from '../../codec/schema/transaction.ts';
import { field, requiredField, Struct } from '../../codec/struct.ts';
import { addressKey, addressOfKey, type AddressKey } from '../../transaction/address-key.ts';
import { ACCOUNT_STATUSES, isEmptyAccount, type Account, type AssetHolding, type AssetParams } from '../account.ts';

/** An asset with its creator. */
export interface CreatedAsset {
  readonly creator: AddressKey;
  readonly params: AssetParams;
}

/** An account and an asset as one key: the owner's 32 characters, then the id. */
export type HoldingKey = string;

export function holdingKey(owner: AddressKey, assetId: bigint): HoldingKey {
  return owner + String(assetId);
}

export function ownerAndAsset(key: HoldingKey): { readonly owner: AddressKey; readonly assetId: bigint } {
  return { owner: key.slice(0, 32), assetId: BigInt(key.slice(32)) };
}

/** The keys and values of each table of the ledger. */
interface Tables {
  readonly accounts: { readonly key: AddressKey; readonly value: Account };
  readonly holdings: { readonly key: HoldingKey; readonly value: AssetHolding };
  readonly assets: { readonly key: bigint; readonly value: CreatedAsset };
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
}

const participation = new Struct({
  voteKey: field('vote', bytes32),
  selectionKey: field('sel', bytes32),
  stateProofKey: field('stprf', bytes64),
  voteFirstValid: field('first', uint64),
  voteLastValid: field('last', uint64),
  voteKeyDilution: field('kd', uint64),
});

const account = new Struct({
  microAlgos: field('algo', uint64),
  status: field('onl', uint8),
  authAddress: field('spend', bytes32),
  participation: requiredField('part', nullable(participation)),
  incentiveEligible: field('ie', boolean),
  lastProposed: field('lpr', uint64),
  lastHeartbeat: field('lhb', uint64),
  totalAssets: field('held', uint32),
  totalCreatedAssets: field('made', uint32),
});

const accountEntry = new Struct({ address: field('k', bytes32), account: requiredField('v', nullable(account)) });

const holdingEntry = new Struct({
  owner: field('k', bytes32),
  assetId: field('id', uint64),
  holding: requiredField('v', nullable(assetHolding)),
});

const asset = new Struct({ creator: field('c', bytes32), params: field('p', assetParams) });
const assetEntry = new Struct({ assetId: field('id', uint64), asset: requiredField('v', nullable(asset)) });

/** The ledger's tables. Deltas, the confirmed state, its marks and state files have all of them. */
export const TABLES: { readonly [Name in TableName]: FileForm<Name> } = {
  accounts: {
    key: 'accts',
    entry: converted(accountEntry, {
      to: ([key, value]) => ({ address: addressOfKey(key), account: value && recordOf(value) }),
      from: ({ address, account: value }) => [addressKey(address), value && accountOf(value)],
    }),
  },
  holdings: {
    key: 'holds',
    entry: converted(holdingEntry, {
      to([key, value]) {
        const { owner, assetId } = ownerAndAsset(key);
        return { owner: addressOfKey(owner), assetId, holding: value && assetHolding.of(value) };
      },
      from: ({ owner, assetId, holding }) => [holdingKey(addressKey(owner), assetId), holding],
    }),
  },
  assets: {
    key: 'assets',
    entry: converted(assetEntry, {
      to: ([assetId, value]) => ({
        assetId,
        asset: value && { creator: addressOfKey(value.creator), params: assetParams.of(value.params) },
      }),
      from: ({ assetId, asset: value }) => [
        assetId,
        value && { creator: addressKey(value.creator), params: value.params },
      ],
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

type AccountRecord = ValueOf<typeof account>;

function recordOf({ status, authAddress, ...rest }: Account): AccountRecord {
  return {
    ...rest,
    status: ACCOUNT_STATUSES.indexOf(status),
    authAddress: authAddress ?? account.zero.authAddress,
  };
}

function accountOf({ status, authAddress, ...rest }: AccountRecord): Account | undefined {
  const read: Account = {
    ...rest,
    status: ACCOUNT_STATUSES[status] ?? 'Offline',
    authAddress: isAllZero(authAddress) ? undefined : authAddress,
  };
  return isEmptyAccount(read) ? undefined : read;
}
