import { bytes, bytes32, bytes64, isAllZero } from '../../codec/bytes.ts';
import { boolean, uint32, uint64, uint8 } from '../../codec/integer.ts';
import { converted, type Kind, type ValueOf } from '../../codec/kind.ts';
import { assetHolding } from '../../codec/schema/account.ts';
import {
  applicationParams,
  type ApplicationParams,
  localState,
  type LocalState,
} from '../../codec/schema/application.ts';
import { assetParams } from '../../codec/schema/transaction.ts';
import { field, requiredField, Struct } from '../../codec/struct.ts';
import { byteString } from '../../codec/text.ts';
import { addressKey, type AddressKey, addressOfKey } from '../../transaction/address-key.ts';
import {
  type Account,
  ACCOUNT_STATUSES,
  addTotals,
  type AssetHolding,
  type AssetParams,
  isEmptyAccount,
  NO_APPLICATIONS,
} from '../account.ts';
import { nullable } from '../../codec/optional.ts';

/** An asset with its creator. */
export interface CreatedAsset {
  readonly creator: AddressKey;
  readonly params: AssetParams;
}

/** An application with its creator. */
export interface Application {
  readonly creator: AddressKey;
  readonly params: ApplicationParams;
}

/** An account and an asset, or an application, as one key: the owner's 32 characters, then the id. */
export type HoldingKey = string;

export function holdingKey(owner: AddressKey, assetId: bigint): HoldingKey {
  return owner + String(assetId);
}

export function ownerAndAsset(key: HoldingKey): { readonly owner: AddressKey; readonly assetId: bigint } {
  return { owner: key.slice(0, 32), assetId: BigInt(key.slice(32)) };
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

const PART = 1000;
const SMALL_PART = 100;

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
  applications: field(
    'apps',
    new Struct({
      uints: field('nui', uint32),
      byteSlices: field('nbs', uint32),
      extraPages: field('pages', uint32),
      created: field('made', uint32),
      optedIn: field('in', uint32),
      boxes: field('boxes', uint32),
      boxBytes: field('bytes', uint32),
    }),
  ),
});

const accountEntry = new Struct({ address: field('k', bytes32), account: requiredField('v', nullable(account)) });

const holdingEntry = new Struct({
  owner: field('k', bytes32),
  assetId: field('id', uint64),
  holding: requiredField('v', nullable(assetHolding)),
});

const asset = new Struct({ creator: field('c', bytes32), params: field('p', assetParams) });
const assetEntry = new Struct({ assetId: field('id', uint64), asset: requiredField('v', nullable(asset)) });

const application = new Struct({ creator: field('c', bytes32), params: field('p', applicationParams) });
const applicationEntry = new Struct({
  id: field('id', uint64),
  application: requiredField('v', nullable(application)),
});

const localStateEntry = new Struct({
  owner: field('k', bytes32),
  id: field('id', uint64),
  local: requiredField('v', nullable(localState)),
});

const boxEntry = new Struct({
  id: field('id', uint64),
  name: field('n', byteString),
  content: requiredField('v', nullable(bytes)),
});

/** The ledger's tables. Deltas, the confirmed state, its marks and state files have all of them. */
export const TABLES: { readonly [Name in TableName]: FileForm<Name> } = {
  accounts: {
    key: 'accts',
    part: PART,
    entry: converted(accountEntry, {
      to: ([key, value]) => ({ address: addressOfKey(key), account: value && recordOf(value) }),
      from: ({ address, account: value }) => [addressKey(address), value && accountOf(value)],
    }),
  },
  holdings: {
    key: 'holds',
    part: PART,
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
    part: PART,
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
  applications: {
    key: 'apps',
    part: SMALL_PART,
    entry: converted(applicationEntry, {
      to: ([id, value]) => ({
        id,
        application: value && { creator: addressOfKey(value.creator), params: value.params },
      }),
      from: ({ id, application: value }) => [id, value && { creator: addressKey(value.creator), params: value.params }],
    }),
  },
  localStates: {
    key: 'locals',
    part: SMALL_PART,
    entry: converted(localStateEntry, {
      to([key, local]) {
        const { owner, assetId: id } = ownerAndAsset(key);
        return { owner: addressOfKey(owner), id, local };
      },
      from: ({ owner, id, local }) => [holdingKey(addressKey(owner), id), local],
    }),
  },
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
    applications: addTotals(NO_APPLICATIONS, rest.applications),
    authAddress: isAllZero(authAddress) ? undefined : authAddress,
  };
  return isEmptyAccount(read) ? undefined : read;
}
