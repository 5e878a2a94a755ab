import { address, bytes, bytes32 } from '../bytes.ts';
import { boolean, int64, uint64 } from '../integer.ts';
import type { ValueOf } from '../kind.ts';
import { list } from '../list.ts';
import { field, requiredField, Struct } from '../struct.ts';
import { assetHolding, bareAccount } from './account.ts';
import { applicationParams, localState } from './application.ts';
import { blockHeader } from './block.ts';
import { assetParams } from './transaction.ts';
import { bytesMap, byteStringMap, integerMap } from '../map.ts';
import { nullable } from '../optional.ts';

export const changedAccount = new Struct({ address: requiredField('Addr', address), ...bareAccount.fields });

const changedAsset = new Struct({
  address: requiredField('Addr', address),
  assetId: requiredField('Aidx', uint64),
  holding: requiredField(
    'Holding',
    new Struct({
      deleted: requiredField('Deleted', boolean),
      holding: requiredField('Holding', nullable(assetHolding)),
    }),
  ),
  params: requiredField(
    'Params',
    new Struct({ deleted: requiredField('Deleted', boolean), params: requiredField('Params', nullable(assetParams)) }),
  ),
});

const changedApplication = new Struct({
  address: requiredField('Addr', address),
  applicationId: requiredField('Aidx', uint64),
  params: requiredField(
    'Params',
    new Struct({
      deleted: requiredField('Deleted', boolean),
      params: requiredField('Params', nullable(applicationParams)),
    }),
  ),
  state: requiredField(
    'State',
    new Struct({
      deleted: requiredField('Deleted', boolean),
      local: requiredField('LocalState', nullable(localState)),
    }),
  ),
});

/** A box by its key in algod's store. */
const changedBox = new Struct({
  content: requiredField('Data', nullable(bytes)),
  before: requiredField('OldData', nullable(bytes)),
});

const changedCreatable = new Struct({
  created: requiredField('Created', boolean),
  creator: requiredField('Creator', address),
  kind: requiredField('Ctype', uint64),
  deltas: requiredField('Ndeltas', uint64),
});

const usedLease = new Struct({
  key: requiredField(
    'Key',
    new Struct({ lease: requiredField('Lease', bytes32), sender: requiredField('Sender', address) }),
  ),
  expires: requiredField('Value', uint64),
});

/** algod's JSON can't show a table whose keys are records, and writes null. */
const leases = { ...nullable(list(usedLease)), json: () => 'null' };

const money = new Struct({ microAlgos: field('mon', uint64), rewardUnits: field('rwd', uint64) });

/** The changes of a round, under the names of algod's Go fields (go-algorand ledger/ledgercore, StateDelta). */
export const stateDelta = new Struct({
  accounts: requiredField(
    'Accts',
    new Struct({
      accounts: requiredField('Accts', list(changedAccount)),
      applications: requiredField('AppResources', nullable(list(changedApplication))),
      assets: requiredField('AssetResources', nullable(list(changedAsset))),
    }),
  ),
  creatables: requiredField('Creatables', nullable(integerMap(changedCreatable))),
  header: requiredField('Hdr', blockHeader),
  boxes: requiredField('KvMods', nullable(byteStringMap(changedBox))),
  previousTimestamp: requiredField('PrevTimestamp', int64),
  stateProofNext: requiredField('StateProofNext', uint64),
  totals: requiredField(
    'Totals',
    new Struct({
      notParticipating: field('notpart', money),
      offline: field('offline', money),
      online: field('online', money),
      rewardsLevel: field('rwdlvl', uint64),
    }),
  ),
  transactions: requiredField(
    'Txids',
    bytesMap(new Struct({ index: requiredField('Intra', uint64), lastValid: requiredField('LastValid', uint64) })),
  ),
  leases: requiredField('Txleases', leases),
});

export type StateDeltaRecord = ValueOf<typeof stateDelta>;
export type ChangedAccount = ValueOf<typeof changedAccount>;
export type ChangedApplicationRecord = ValueOf<typeof changedApplication>;
export type ChangedAsset = ValueOf<typeof changedAsset>;
