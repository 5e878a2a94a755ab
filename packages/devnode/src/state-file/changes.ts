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
export function* encodeChanges(values: ChangedValues): Generator<Uint8Array> {
  for (const entries of parts(values.accounts.entries())) {
    const accounts = entries.map(([key, value]) => ({
      address: addressOfKey(key),
      account: value && accountRecord(value),
    }));
    yield encode(changes, { ...changes.zero, accounts });
  }
  for (const entries of parts(values.holdings.entries())) {
    const holdings = entries.map(([key, value]) => {
      const { owner, assetId } = ownerAndAsset(key);
      return { owner: addressOfKey(owner), assetId, holding: value && assetHolding.of(value) };
    });
    yield encode(changes, { ...changes.zero, holdings });
  }
  for (const entries of parts(values.assets.entries())) {
    const assets = entries.map(([assetId, value]) => ({
      assetId,
      asset: value && { creator: addressOfKey(value.creator), params: assetParams.of(value.params) },
    }));
    yield encode(changes, { ...changes.zero, assets });
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

function accountRecord({ status, authAddress, ...rest }: Account): AccountRecord {
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
