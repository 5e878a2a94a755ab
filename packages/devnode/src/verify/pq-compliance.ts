import { formatAddress } from '@avm402/algorand/address';
import { isCurvePoint } from '@avm402/algorand/curve-point';
import { programAddress } from '@avm402/teal/program-address';
import { isAllZero, sameBytes } from '../codec/bytes.ts';
import {
  type LogicSignature,
  pqSignature as pqSignatureSchema,
  type SignedTransaction,
} from '../codec/schema/signed-transaction.ts';
import { authorizerOf } from '../transaction/member.ts';
import { isBlankMultisig } from './multisig.ts';
import { pqAddress } from './pq-signature.ts';
import { programVersion } from '@avm402/teal/run';

/** Program versions whose compilers make escrow addresses that are not curve points. */
const SALTED_VERSIONS = [13n, 14n];

/**
 * algod's reason to refuse addresses that are curve points in its REST routes, unless `skip-pq-address-check` is set
 * (go-algorand v5, basics.Address.IsPQCompliant). First come the authorizers of post-quantum signatures, then escrows.
 */
export function pqComplianceProblem(group: readonly SignedTransaction[]): string | undefined {
  for (const [index, signed] of group.entries()) {
    const problem = pqAuthorizerProblem(signed);
    if (problem !== undefined) return `transaction ${index}: ${problem}`;
  }
  for (const [index, signed] of group.entries()) {
    const problem = escrowProblem(signed);
    if (problem !== undefined) return `transaction ${index}: ${problem}`;
  }
  return undefined;
}

function pqAuthorizerProblem({ pqSignature, logicSignature }: SignedTransaction): string | undefined {
  const own = !pqSignatureSchema.isZero(pqSignature);
  const signature = own || logicSignature.logic.length === 0 ? pqSignature : logicSignature.pqSignature;
  if (signature.publicKey.length === 0) return undefined;
  const authorizer = pqAddress(signature);
  if (!isCurvePoint(authorizer)) return undefined;
  const address = formatAddress(authorizer);
  return `pq signature authorizer address ${address} is an Edwards25519 curve point (non PQ-compliant)`;
}

function escrowProblem(signed: SignedTransaction): string | undefined {
  const { logicSignature } = signed;
  const version = programVersion(logicSignature.logic);
  if (typeof version === 'string' || !SALTED_VERSIONS.includes(version) || isDelegated(logicSignature))
    return undefined;
  const escrow = programAddress(logicSignature.logic);
  if (!sameBytes(authorizerOf(signed), escrow) || !isCurvePoint(escrow)) return undefined;
  const what = `TEAL v${version} LogicSig program hash is an Edwards25519 point and should not be used`;
  const remedy =
    'set skip-pq-address-check=true to submit anyway if you understand the risks and know what you are doing';
  return `${what}; ${remedy}`;
}

function isDelegated({ signature, multisig, logicMultisig, pqSignature }: LogicSignature): boolean {
  const multisigs = [multisig, logicMultisig];
  return (
    !isAllZero(signature) || multisigs.some((each) => !isBlankMultisig(each)) || !pqSignatureSchema.isZero(pqSignature)
  );
}
