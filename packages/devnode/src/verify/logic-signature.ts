import { programAddress } from '@avm402/teal/program-address';
import { isAllZero, sameBytes } from '../codec/bytes.ts';
import {
  type LogicSignature,
  logicSignature as logicSignatureSchema,
  pqSignature as pqSignatureSchema,
} from '../codec/schema/signed-transaction.ts';
import type { ConsensusParameters } from '../consensus/parameters.ts';
import { isBlankMultisig, multisigProblem } from './multisig.ts';
import { pqSignatureProblem } from './pq-signature.ts';
import type { SignedMessage } from './known-signatures.ts';
import { programVersion } from '@avm402/teal/run';

export const PROGRAM_PREFIX = Buffer.from('Program');
const PQ_PROGRAM_PREFIX = Buffer.from('PQProgram');
export const MULTISIG_PROGRAM_PREFIX = Buffer.from('MsigProgram');

/** Whether a logic signature is empty (go-algorand data/transactions/logicsig.go, Blank). */
export function isBlankLogicSignature(logicSignature: LogicSignature): boolean {
  const { multisig, logicMultisig } = logicSignature;
  return logicSignatureSchema.isZero(logicSignature) && isBlankMultisig(multisig) && isBlankMultisig(logicMultisig);
}

export interface LogicClaim {
  readonly logicSignature: LogicSignature;
  readonly authorizer: Uint8Array;
  readonly parameters: ConsensusParameters;
  /** The problem found in the program before it runs, if any. */
  readonly program: () => string | undefined;
}

/**
 * The problem with a logic signature before its program runs, if any (go-algorand data/transactions/verify/txn.go,
 * logicSigSanityCheck). The signatures of its delegation are not checked here, but added to the batch.
 */
export function logicSignatureProblem(claim: LogicClaim, batch: SignedMessage[]): string | undefined {
  const { logicSignature, parameters, program } = claim;
  const { logic } = logicSignature;
  if (logic.length > parameters.maxLogicSigBytes) {
    return `LogicSig.Logic too long. max size is ${parameters.maxLogicSigBytes} bytes`;
  }
  const version = programVersion(logic);
  if (typeof version === 'string') return 'LogicSig.Logic bad version';
  if (version > BigInt(parameters.logicSigVersion)) return 'LogicSig.Logic version too new';
  return program() ?? delegationProblem(claim, batch);
}

function delegationProblem({ logicSignature, authorizer }: LogicClaim, batch: SignedMessage[]): string | undefined {
  const { logic, signature, multisig, logicMultisig, pqSignature } = logicSignature;
  const given = [
    !isAllZero(signature),
    !isBlankMultisig(multisig),
    !isBlankMultisig(logicMultisig),
    !pqSignatureSchema.isZero(pqSignature),
  ];
  const count = given.filter(Boolean).length;
  if (count === 0) {
    return sameBytes(programAddress(logic), authorizer) ? undefined : 'LogicNot signed and not a Logic-only account';
  }
  if (count > 1) return 'LogicSig should have only one type of delegation signature';
  if (given[1]) return 'LogicSig Msig field not supported in this consensus version';
  if (given[3]) {
    const message = Buffer.concat([PQ_PROGRAM_PREFIX, authorizer, logic]);
    const problem = pqSignatureProblem({ signature: pqSignature, authorizer, message });
    return problem === undefined ? undefined : `pq delegated logic signature validation failed: ${problem}`;
  }
  if (given[0]) {
    batch.push({ publicKey: authorizer, message: Buffer.concat([PROGRAM_PREFIX, logic]), signature });
    return undefined;
  }
  const message = Buffer.concat([MULTISIG_PROGRAM_PREFIX, authorizer, logic]);
  const problem = multisigProblem({ multisig: logicMultisig, authorizer, message }, batch);
  return problem === undefined ? undefined : `logic multisig validation failed: ${problem}`;
}
