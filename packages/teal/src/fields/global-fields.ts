import type { ProgramRun } from '../machine/application/group.ts';
import type { Context } from '../machine/context.ts';
import type { NetworkParameters } from '../machine/environment.ts';
import { type Field, fieldGroup, type FieldGroup } from '../machine/field-group.ts';
import type { StackValue } from '../machine/stack-value.ts';
import { ZERO_32 } from '../machine/group-transaction.ts';

/** A field, and the source of its value. */
interface GlobalField extends Field {
  readonly read?: (p: NetworkParameters, c: Context) => StackValue | number | boolean | undefined;
}

/** A value that only programs of applications can read. */
function ofCall(read: (run: ProgramRun) => StackValue | undefined): Pick<GlobalField, 'modes' | 'read'> {
  return { modes: ['application'], read: (_, { application }) => application && read(application) };
}

/** Values that are the same for every transaction. */
export const GLOBAL_FIELDS: FieldGroup<GlobalField> = fieldGroup('global', 'GlobalField', [
  { code: 0, name: 'MinTxnFee', type: 'uint64', read: (p) => p.minFee },
  { code: 1, name: 'MinBalance', type: 'uint64', read: (p) => p.minBalance },
  { code: 2, name: 'MaxTxnLife', type: 'uint64', read: (p) => p.maxLife },
  { code: 3, name: 'ZeroAddress', type: 'address', read: () => ZERO_32 },
  { code: 4, name: 'GroupSize', type: 'uint64', read: (_, c) => c.group.length },
  { code: 5, name: 'LogicSigVersion', type: 'uint64', since: 2, read: (p) => p.programVersion },
  { code: 6, name: 'Round', type: 'uint64', since: 2, ...ofCall((run) => run.shared.ledger.round) },
  { code: 7, name: 'LatestTimestamp', type: 'uint64', since: 2, ...ofCall((run) => run.shared.ledger.latestTimestamp) },
  { code: 8, name: 'CurrentApplicationID', type: 'uint64', since: 2, ...ofCall((run) => run.applicationId) },
  { code: 9, name: 'CreatorAddress', type: 'address', since: 3, ...ofCall(creatorOf) },
  { code: 10, name: 'CurrentApplicationAddress', type: 'address', since: 5, ...ofCall((run) => run.address) },
  { code: 11, name: 'GroupID', type: '[32]byte', since: 5, read: (_, c) => c.group[c.index]?.transaction.group },
  { code: 12, name: 'OpcodeBudget', type: 'uint64', since: 6, read: (_, c) => c.budget.remaining },
  {
    code: 13,
    name: 'CallerApplicationID',
    type: 'uint64',
    since: 6,
    ...ofCall(({ caller }) => caller?.applicationId ?? 0n),
  },
  {
    code: 14,
    name: 'CallerApplicationAddress',
    type: 'address',
    since: 6,
    ...ofCall(({ caller }) => caller?.address ?? ZERO_32),
  },
  { code: 15, name: 'AssetCreateMinBalance', type: 'uint64', since: 10, read: (p) => p.minBalance },
  { code: 16, name: 'AssetOptInMinBalance', type: 'uint64', since: 10, read: (p) => p.minBalance },
  { code: 17, name: 'GenesisHash', type: '[32]byte', since: 10, read: (_, c) => c.environment.genesisHash },
  { code: 18, name: 'PayoutsEnabled', type: 'bool', since: 11, read: (p) => p.payouts.enabled },
  { code: 19, name: 'PayoutsGoOnlineFee', type: 'uint64', since: 11, read: (p) => p.payouts.goOnlineFee },
  { code: 20, name: 'PayoutsPercent', type: 'uint64', since: 11, read: (p) => p.payouts.percent },
  { code: 21, name: 'PayoutsMinBalance', type: 'uint64', since: 11, read: (p) => p.payouts.minBalance },
  { code: 22, name: 'PayoutsMaxBalance', type: 'uint64', since: 11, read: (p) => p.payouts.maxBalance },
]);

function creatorOf({ shared, applicationId }: ProgramRun): Uint8Array | undefined {
  return shared.ledger.application(applicationId)?.creator;
}
