import { bytes32, bytes64, isAllZero } from '../codec/bytes.ts';
import { encode } from '../codec/document.ts';
import { boolean, uint32, uint64, uint8 } from '../codec/integer.ts';
import type { ValueOf } from '../codec/kind.ts';
import { list } from '../codec/list.ts';
import { nullable } from '../codec/nullable.ts';
import { assetHolding } from '../codec/schema/account.ts';
import { assetParams } from '../codec/schema/transaction.ts';
import { field, requiredField, Struct } from '../codec/struct.ts';
import { ACCOUNT_STATUSES, EMPTY_ACCOUNT, type Account } from '../ledger/account.ts';
import { ownerAndAsset, type ChangedTables, type StateDelta } from '../ledger/state/state.ts';
import { addressKey, addressOfKey } from '../transaction/address-key.ts';
import { parts, readPart } from './parts.ts';

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

const asset = new Struct({ creator: field('c', bytes32), params: field('p', assetParams) });

/** Values with their keys; none: there is no such thing any more. */
const changes = new Struct({
  accounts: field(
    'accts',
    list(new Struct({ address: field('k', bytes32), account: requiredField('v', nullable(account)) })),
  ),
  holdings: field(
    'holds',
    list(
      new Struct({
        owner: field('k', bytes32),
        assetId: field('id', uint64),
        holding: requiredField('v', nullable(assetHolding)),
      }),
    ),
  ),
  assets: field(
    'assets',
    list(new Struct({ assetId: field('id', uint64), asset: requiredField('v', nullable(asset)) })),
  ),
});

type ChangesRecord = ValueOf<typeof changes>;
type AccountRecord = ValueOf<typeof account>;

/** Values of all tables, as they became. */
export type ChangedValues = {
  readonly [Table in keyof ChangedTables]: Pick<ChangedTables[Table], 'entries'>;
};

/** Encodes values of a state, in parts that can be read by themselves. */
export function* encodeChanges({ accounts, holdings, assets }: ChangedValues): Generator<Uint8Array> {
  const all: { readonly [Table in keyof ChangedTables]: Iterable<Partial<ChangesRecord>> } = {
    accounts: accountParts(accounts),
    holdings: holdingParts(holdings),
    assets: assetParts(assets),
  };
  for (const records of Object.values(all)) {
    for (const record of records) yield encode(changes, changes.of(record));
  }
}

function* accountParts(accounts: ChangedValues['accounts']): Generator<Partial<ChangesRecord>> {
  for (const part of parts(accounts.entries())) {
    yield { accounts: part.map(([key, value]) => ({ address: addressOfKey(key), account: value && recordOf(value) })) };
  }
}

function* holdingParts(holdings: ChangedValues['holdings']): Generator<Partial<ChangesRecord>> {
  for (const part of parts(holdings.entries())) {
    const records = part.map(([key, value]) => {
      const { owner, assetId } = ownerAndAsset(key);
      return { owner: addressOfKey(owner), assetId, holding: value && assetHolding.of(value) };
    });
    yield { holdings: records };
  }
}

function* assetParts(assets: ChangedValues['assets']): Generator<Partial<ChangesRecord>> {
  for (const part of parts(assets.entries())) {
    const records = part.map(([assetId, value]) => ({
      assetId,
      asset: value && { creator: addressOfKey(value.creator), params: assetParams.of(value.params) },
    }));
    yield { assets: records };
  }
}

/**
 * Reads one part and sets its values in a delta.
 * @throws DevnodeError `damaged_state_file`
 */
export function readChanges(encoded: Uint8Array, state: StateDelta): void {
  const { accounts, holdings, assets }: ChangesRecord = readPart(changes, encoded);
  for (const { address, account: value } of accounts ?? []) {
    state.setAccount(addressKey(address), value === undefined ? EMPTY_ACCOUNT : accountOf(value));
  }
  for (const { owner, assetId, holding } of holdings ?? []) state.setHolding(addressKey(owner), assetId, holding);
  for (const { assetId, asset: value } of assets ?? []) {
    state.setAsset(assetId, value && { creator: addressKey(value.creator), params: value.params });
  }
}

function recordOf({ status, authAddress, ...rest }: Account): AccountRecord {
  return {
    ...rest,
    status: ACCOUNT_STATUSES.indexOf(status),
    authAddress: authAddress ?? account.zero.authAddress,
  };
}

function accountOf({ status, authAddress, ...rest }: AccountRecord): Account {
  return {
    ...rest,
    status: ACCOUNT_STATUSES[status] ?? 'Offline',
    authAddress: isAllZero(authAddress) ? undefined : authAddress,
  };
}
