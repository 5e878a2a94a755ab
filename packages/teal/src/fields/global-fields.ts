import { fieldGroup, type FieldGroup } from '../machine/field-group.ts';

/** What is the same for every transaction. */
export const GLOBAL_FIELDS: FieldGroup = fieldGroup('global', 'GlobalField', [
  { code: 0, name: 'MinTxnFee', type: 'uint64' },
  { code: 1, name: 'MinBalance', type: 'uint64' },
  { code: 2, name: 'MaxTxnLife', type: 'uint64' },
  { code: 3, name: 'ZeroAddress', type: 'address' },
  { code: 4, name: 'GroupSize', type: 'uint64' },
  { code: 5, name: 'LogicSigVersion', type: 'uint64', since: 2 },
  { code: 6, name: 'Round', type: 'uint64', since: 2, modes: ['application'] },
  { code: 7, name: 'LatestTimestamp', type: 'uint64', since: 2, modes: ['application'] },
  { code: 8, name: 'CurrentApplicationID', type: 'uint64', since: 2, modes: ['application'] },
  { code: 9, name: 'CreatorAddress', type: 'address', since: 3, modes: ['application'] },
  { code: 10, name: 'CurrentApplicationAddress', type: 'address', since: 5, modes: ['application'] },
  { code: 11, name: 'GroupID', type: '[32]byte', since: 5 },
  { code: 12, name: 'OpcodeBudget', type: 'uint64', since: 6 },
  { code: 13, name: 'CallerApplicationID', type: 'uint64', since: 6, modes: ['application'] },
  { code: 14, name: 'CallerApplicationAddress', type: 'address', since: 6, modes: ['application'] },
  { code: 15, name: 'AssetCreateMinBalance', type: 'uint64', since: 10 },
  { code: 16, name: 'AssetOptInMinBalance', type: 'uint64', since: 10 },
  { code: 17, name: 'GenesisHash', type: '[32]byte', since: 10 },
  { code: 18, name: 'PayoutsEnabled', type: 'bool', since: 11 },
  { code: 19, name: 'PayoutsGoOnlineFee', type: 'uint64', since: 11 },
  { code: 20, name: 'PayoutsPercent', type: 'uint64', since: 11 },
  { code: 21, name: 'PayoutsMinBalance', type: 'uint64', since: 11 },
  { code: 22, name: 'PayoutsMaxBalance', type: 'uint64', since: 11 },
]);
