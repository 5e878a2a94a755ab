import type { ProgramRun } from './application/group.ts';
import type { BlockHeader, Budget, Environment, Mode } from './environment.ts';
import type { GroupTransaction } from './group-transaction.ts';
import { OpcodeFailure } from './program-error.ts';

/** Everything that a program can see. */
export interface Context {
  readonly mode: Mode;
  readonly group: readonly GroupTransaction[];
  /** Index in the group of the transaction that the program belongs to. */
  readonly index: number;
  /** Arguments of a logic signature. */
  readonly args: readonly Uint8Array[];
  readonly budget: Budget;
  readonly environment: Environment;
  /** The run of an application's program; undefined for a logic signature. */
  readonly application?: ProgramRun;
}

/**
 * The header of a block that precedes the transaction's validity and is not too far back.
 * @throws OpcodeFailure
 */
export function pastBlock({ environment, group, index }: Context, round: bigint): BlockHeader {
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
