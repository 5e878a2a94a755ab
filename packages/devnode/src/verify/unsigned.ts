import {
  signedTransaction,
  pqSignature as pqSignatureSchema,
  type SignedTransaction,
  isKnownPqScheme,
} from '../codec/schema/signed-transaction.ts';
import { isBlankLogicSignature } from './logic-signature.ts';
import { isBlankMultisig } from './multisig.ts';

/** Whether a transaction has no signature. A post-quantum signature with only a scheme is a placeholder. */
export function isUnsigned({ signature, multisig, logicSignature, pqSignature }: SignedTransaction): boolean {
  const { kind } = signedTransaction.fields.signature;
  if (!kind.isZero(signature) || !isBlankMultisig(multisig) || !isBlankLogicSignature(logicSignature)) return false;
  const { scheme, ...rest } = pqSignature;
  const onlyScheme = pqSignatureSchema.isZero(pqSignatureSchema.of({ ...rest, scheme: pqSignatureSchema.zero.scheme }));
  return pqSignatureSchema.isZero(pqSignature) || (onlyScheme && isKnownPqScheme({ ...rest, scheme }));
}
