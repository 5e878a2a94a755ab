import type { Transaction } from '../../codec/schema/transaction.ts';
import type { ConsensusParameters } from '../../consensus/parameters.ts';
import { DevnodeError } from '../../errors.ts';
import { programVersion } from '../../transaction/program-version.ts';
import { addressText } from '../asset-holding.ts';
import { Refusal } from '../../transaction/refusal.ts';
import type { ApplyContext } from './context.ts';

const CLEAR_STATE = 3n;

/**
 * Applies an `appl` to a ledger without applications: a call finds no application, and a creation would run a program
 * (go-algorand ledger/apply/application.go).
 * @throws Refusal, or DevnodeError `unsupported` where algod would run one
 */
export function applyApplicationCall(call: Transaction, { sender, parameters }: ApplyContext): never {
  const { applicationId, onCompletion } = call;
  if (applicationId !== 0n && onCompletion === CLEAR_STATE) {
    throw new Refusal(`cannot clear state: ${addressText(sender)} is not currently opted in to app ${applicationId}`);
  }
  if (applicationId !== 0n) {
    throw new Refusal(`only ClearState is supported for an application (${applicationId}) that does not exist`);
  }
  createApplication(call, parameters);
}

/**
 * Checks the creation of an application up to the point where its program would run.
 * @throws Refusal, or DevnodeError `unsupported` where algod would run the program
 */
export function createApplication({ approvalProgram }: Transaction, parameters: ConsensusParameters): never {
  const version = programVersion(approvalProgram);
  if (typeof version === 'bigint' && version > BigInt(parameters.logicSigVersion)) {
    const limit = parameters.logicSigVersion;
    throw new Refusal(
      `check failed on ApprovalProgram: program version ${version} greater than protocol supported version ${limit}`,
    );
  }
  // Differs from algod: no-programs
  throw new DevnodeError(
    'unsupported',
    'this development node does not run applications, so it can not create one; use algod for this group',
  );
}
