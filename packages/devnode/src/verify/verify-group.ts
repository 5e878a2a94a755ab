import { isAllZero, sameBytes } from '../codec/bytes.ts';
import { pqSignature as pqSignatureSchema, type LogicSignature } from '../codec/schema/signed-transaction.ts';
import { assetParams } from '../codec/schema/transaction.ts';
import { Refusal } from '../ledger/refusal.ts';
import { checkGroupId } from './group-id.ts';
import { addHeartbeatProof } from './heartbeat-proof.ts';
import { isBlankLogicSignature, logicSignatureProblem } from './logic-signature.ts';
import { authorizerOf, idText, type GroupMember } from './member.ts';
import { isBlankMultisig, multisigProblem } from './multisig.ts';
import { pqSignatureProblem } from './pq-signature.ts';
import { runLogicSignature } from './run-logic-signature.ts';
import { BAD_SIGNATURE, SignatureBatch } from './signature-batch.ts';
import type { FormContext } from './well-formed/context.ts';
import { formProblem, isTransactionType } from './well-formed/well-formed.ts';

/**
 * Everything about a group that does not depend on the ledger's accounts, in algod's order: form, group, signatures
 * (go-algorand data/transactions/verify/txn.go). Signatures are verified on other threads.
 * @throws Refusal with algod's text
 */
export async function verifyGroup(members: readonly GroupMember[], context: FormContext): Promise<void> {
  for (const [index, member] of members.entries()) {
    const problem = formProblem(member.transaction, context);
    if (problem !== undefined) throw invalid(member, index, problem);
  }
  verifyGroupForm(members, context);
  const isGood = await signaturesOf(members, context, signedByAll).verifyInBackground();
  if (!isGood) throw new Refusal(BAD_SIGNATURE);
}

const signedByAll = (): boolean => true;

/** What only a group as a whole can be wrong in. A Refusal names the member where there is one to name. */
export function verifyGroupForm(members: readonly GroupMember[], context: FormContext): void {
  const mixture = mixtureProblem(members);
  if (mixture !== undefined) throw new Refusal(mixture);
  checkGroupId(members);
  const empty = members.findIndex(({ signed }) => isLogicWithoutProgram(signed.logicSignature));
  if (empty !== -1) throw new Refusal('LogicSig fields without LogicSig program', empty);
  const logic = logicArgumentsProblem(members, context);
  if (logic !== undefined) throw new Refusal(logic);
}

/** Verifies the signatures of those members that must have one. */
export function verifySignatures(
  members: readonly GroupMember[],
  context: FormContext,
  mustBeSigned: (member: GroupMember) => boolean,
): void {
  if (!signaturesOf(members, context, mustBeSigned).verify()) throw new Refusal(BAD_SIGNATURE);
}

/** The signatures of those members that must have one, not yet verified; everything else about them is right. */
function signaturesOf(
  members: readonly GroupMember[],
  context: FormContext,
  mustBeSigned: (member: GroupMember) => boolean,
): SignatureBatch {
  const batch = new SignatureBatch();
  for (const [index, member] of members.entries()) {
    const problem =
      authAddressProblem(member, context) ??
      (mustBeSigned(member) ? signatureProblem(member, context, batch) : undefined);
    if (problem !== undefined) throw invalid(member, index, problem);
    if (member.signed.logicSignature.logic.length > 0) runLogicSignature(member);
  }
  return batch;
}

function invalid(member: GroupMember, index: number, problem: string): Refusal {
  // Differs from algod: short-dumps
  return new Refusal(`transaction {${idText(member.txId)}} invalid : ${problem}`, index);
}

function authAddressProblem({ signed }: GroupMember, { parameters }: FormContext): string | undefined {
  if (!parameters.authAddressMustDiffer || !sameBytes(signed.authAddress, signed.transaction.sender)) return undefined;
  return 'AuthAddr must be different from Sender';
}

function mixtureProblem(members: readonly GroupMember[]): string | undefined {
  if (members.some(({ transaction }) => !isTransactionType(transaction.type))) return 'transaction has an unknown type';
  if (!members.some(({ transaction }) => transaction.type === 'hb')) return undefined;
  const creates = members.some(
    ({ transaction: { type, configAsset, assetParams: params } }) =>
      type === 'appl' || (type === 'acfg' && configAsset === 0n && !assetParams.isZero(params)),
  );
  return creates ? 'heartbeat transaction may not be grouped with an application call or asset creation' : undefined;
}

function isLogicWithoutProgram(logicSignature: LogicSignature): boolean {
  return logicSignature.logic.length === 0 && !isBlankLogicSignature(logicSignature);
}

function logicArgumentsProblem(members: readonly GroupMember[], { parameters }: FormContext): string | undefined {
  const logics = members.map(({ signed }) => signed.logicSignature);
  const sizes = logics.map(({ args = [] }) => args.reduce((sum, { length }) => sum + length, 0));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const pool = parameters.logicSigBytes * members.length;
  if (!sizes.some((size) => size > parameters.logicSigBytes) || total <= pool) return undefined;
  const allowance = `per-LogicSig allowance is ${parameters.logicSigBytes}`;
  return `txgroup had ${total} bytes of LogicSig args, more than the available size pool of ${pool} bytes (${allowance})`;
}

/** What is wrong with a member's signature; plain signatures only go into the batch. */
function signatureProblem(member: GroupMember, context: FormContext, batch: SignatureBatch): string | undefined {
  const { signed, transaction, message } = member;
  const { signature, multisig, logicSignature, pqSignature } = signed;
  const { parameters } = context;
  const given = {
    plain: !isAllZero(signature),
    multisig: !isBlankMultisig(multisig),
    logic: logicSignature.logic.length > 0,
    pq: !pqSignatureSchema.isZero(pqSignature),
  };
  if (given.pq && !parameters.pqSignatures) return 'pq signature not enabled';
  const count = Object.values(given).filter(Boolean).length;
  if (count === 0) return transaction.type === 'stpf' ? undefined : 'signedtxn has no sig';
  if (count > 1) return 'signedtxn should have only one type of signature';
  if (transaction.type === 'hb') addHeartbeatProof(transaction, batch);
  const authorizer = authorizerOf(signed);
  if (given.plain) batch.add(authorizer, message, signature);
  if (given.multisig)
    return prefixed('multisig validation failed: ', multisigProblem({ multisig, authorizer, message }, batch));
  if (given.logic) return logicSignatureProblem({ logicSignature, authorizer, parameters });
  return given.pq ? `pq signature validation failed: ${pqSignatureProblem(pqSignature, authorizer)}` : undefined;
}

function prefixed(prefix: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : prefix + problem;
}
