import { BLOCK_FIELDS } from '../fields/block-fields.ts';
import { type Field, type FieldGroup, fieldName } from '../machine/field-group.ts';
import { GLOBAL_FIELDS } from '../fields/global-fields.ts';
import type { BlockHeader } from '../machine/environment.ts';
import type { Operands } from '../machine/operands.ts';
import type { Machine } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import type { StackValue } from '../machine/stack-value.ts';

const ZERO_ADDRESS = new Uint8Array(32);

const GLOBALS: Readonly<Record<string, (machine: Machine) => StackValue | number | undefined>> = {
  MinTxnFee: ({ context }) => context.environment.parameters.minFee,
  MinBalance: ({ context }) => context.environment.parameters.minBalance,
  MaxTxnLife: ({ context }) => context.environment.parameters.maxLife,
  ZeroAddress: () => ZERO_ADDRESS,
  GroupSize: ({ context }) => context.group.length,
  LogicSigVersion: ({ context }) => context.environment.parameters.programVersion,
  GroupID: ({ context }) => context.group[context.index]?.transaction.group,
  OpcodeBudget: ({ context }) => context.budget.remaining,
  AssetCreateMinBalance: ({ context }) => context.environment.parameters.minBalance,
  AssetOptInMinBalance: ({ context }) => context.environment.parameters.minBalance,
  GenesisHash: ({ context }) => context.environment.genesisHash,
  PayoutsEnabled: ({ context }) => Number(context.environment.parameters.payouts.enabled),
  PayoutsGoOnlineFee: ({ context }) => context.environment.parameters.payouts.goOnlineFee,
  PayoutsPercent: ({ context }) => context.environment.parameters.payouts.percent,
  PayoutsMinBalance: ({ context }) => context.environment.parameters.payouts.minBalance,
  PayoutsMaxBalance: ({ context }) => context.environment.parameters.payouts.maxBalance,
};

const BLOCK_VALUES: Readonly<Record<string, (header: BlockHeader) => StackValue>> = {
  BlkSeed: (header) => header.seed,
  BlkTimestamp: (header) => header.timestamp,
  BlkProposer: (header) => header.proposer,
  BlkFeesCollected: (header) => header.feesCollected,
  BlkBonus: (header) => header.bonus,
  BlkBranch: (header) => header.branch,
  BlkFeeSink: (header) => header.feeSink,
  BlkProtocol: (header) => header.protocol,
  BlkTxnCounter: (header) => header.transactionCounter,
  BlkProposerPayout: (header) => header.proposerPayout,
  BlkBranch512: (header) => header.branch512,
  BlkSha512_256TxnCommitment: (header) => header.sha512_256Commitment,
  BlkSha256TxnCommitment: (header) => header.sha256Commitment,
  BlkSha512TxnCommitment: (header) => header.sha512Commitment,
};

export function globalField(machine: Machine, { first }: Operands): void {
  const field = known(machine, GLOBAL_FIELDS, first);
  const value = GLOBALS[field.name]?.(machine);
  if (value === undefined || field.modes?.includes(machine.context.mode) === false) {
    throw new OpcodeFailure(`global[${field.name}] not allowed in current mode`);
  }
  machine.push(typeof value === 'number' ? BigInt(value) : value);
}

export function blockField(machine: Machine, { first }: Operands): void {
  const header = pastBlock(machine, machine.integer(0));
  const value = BLOCK_VALUES[known(machine, BLOCK_FIELDS, first).name]?.(header);
  if (value === undefined) throw new OpcodeFailure(`invalid block field ${fieldName(BLOCK_FIELDS, first)}`);
  machine.replace(1, value);
}

function known({ program }: Machine, group: FieldGroup, code: number): Field {
  const field = group.fieldOf(code);
  if (field !== undefined && (field.since ?? 0) <= program.version) return field;
  throw new OpcodeFailure(`invalid ${group.name} field ${fieldName(group, code)}`);
}

/** The header of a block that lies before the transaction's validity and not too far back. */
export function pastBlock({ context }: Machine, round: bigint): BlockHeader {
  const { environment, group, index } = context;
  const transaction = group[index]?.transaction;
  const lastValid = transaction?.lastValid ?? 0n;
  const firstValid = transaction?.firstValid ?? 0n;
  const earliest = lastValid - environment.parameters.maxLife - 1n;
  const first = earliest > 0n ? earliest : 1n;
  const last = firstValid > 0n ? firstValid - 1n : 0n;
  if (round < first || round > last) {
    throw new OpcodeFailure(`round ${round} is not available. It's outside [${first}-${last}]`);
  }
  const header = environment.blockHeader(round);
  if (header !== undefined) return header;
  const { latestRound: latest } = environment;
  throw new OpcodeFailure(`ledger does not have entry ${round} (latest ${latest}, committed ${latest})`);
}
