import type { ErrorDetails } from '../errors.ts';
import { isAllZero, sameBytes } from '../codec/bytes.ts';
import { pqSignature as pqSignatureSchema, type LogicSignature } from '../codec/schema/signed-transaction.ts';
import { assetParams, isTransactionType } from '../codec/schema/transaction.ts';
import { Refusal } from '../transaction/refusal.ts';
import { checkGroupId } from './group-id.ts';
import { addHeartbeatProof } from './heartbeat-proof.ts';
import { isBlankLogicSignature, logicSignatureProblem } from './logic-signature.ts';
import { authorizerOf, idText, type GroupMember } from '../transaction/member.ts';
import { LogicPrograms } from './logic-programs.ts';
import { isBlankMultisig, multisigProblem } from './multisig.ts';
import { pqSignatureProblem } from './pq-signature.ts';
import type { Programs } from './programs.ts';
import type { SignedMessage } from './known-signatures.ts';
import type { SignatureVerifier } from './signature-verifier.ts';
import type { FormContext } from '../form/context.ts';
import { formProblem } from '../form/well-formed.ts';

/** algod does not say which signature of a group is the bad one. */
export const BAD_SIGNATURE = "At least one signature didn't pass verification";

/**
 * Verifies all of a group that does not depend on the ledger's accounts, in algod's order: form, group, signatures
 * (go-algorand data/transactions/verify/txn.go). Signatures are verified on other threads.
 * @throws Refusal with algod's text
 */
export async function verifyGroup(members: readonly GroupMember[], context: VerifyContext): Promise<void> {
  checkForm(members, context);
  await verifySignatures(members, context, new LogicPrograms(members, context.programs));
}

/**
 * Does all checks of `verifyGroup` but the slow mathematics of signatures, so a group that passes may have a bad one.
 * @throws Refusal with algod's text
 */
export function verifyAllButSignatures(members: readonly GroupMember[], context: VerifyContext): void {
  checkForm(members, context);
  // Gathering the signatures throws all other errors.
  Array.from(signaturesOf(members, context, new LogicPrograms(members, context.programs)));
}

function checkForm(members: readonly GroupMember[], context: VerifyContext): void {
  for (const [index, member] of members.entries()) {
    const problem = formProblem(member.transaction, context);
    if (problem !== undefined) throw invalid(member, index, problem);
  }
  verifyGroupForm(members, context);
}

/** Checks a group as a whole. A Refusal names the member, if a single member is at fault. */
export function verifyGroupForm(members: readonly GroupMember[], context: FormContext): void {
  const mixture = mixtureProblem(members);
  if (mixture !== undefined) throw new Refusal(mixture);
  checkGroupId(members);
  if (context.parameters.sizePricing) checkLogicArguments(members, context);
  else checkLogicPool(members, context);
}

/** Verifies the signatures of the members that must have one, on other threads, and runs their programs. */
export async function verifySignatures(
  members: readonly GroupMember[],
  context: VerifyContext,
  programs: LogicPrograms,
): Promise<void> {
  const runsPrograms = members.some(({ signed }) => signed.logicSignature.logic.length > 0);
  for (const { batch, refusal } of signaturesOf(members, context, programs)) {
    if (!(await context.signatures.verify(batch))) throw refusal();
    if (runsPrograms) await context.programs.turn();
  }
}

/** The context in which transactions and their programs are judged. */
export interface VerifyContext extends FormContext {
  readonly programs: Programs;
  readonly signatures: SignatureVerifier;
  /** Whether a member needs a signature; all do, unless a developer control exempts them. */
  readonly mustBeSigned: (member: GroupMember) => boolean;
}

/** Signatures that are verified together, and the refusal if one of them is bad. */
interface Signatures {
  readonly batch: readonly SignedMessage[];
  readonly refusal: () => Refusal;
}

/**
 * Gives the signatures of the members that must have one. Each batch must be verified before the next is asked for:
 * signatures that delegate to a program come before it runs, all others at the end. Other faults are thrown in turn.
 */
function* signaturesOf(
  members: readonly GroupMember[],
  context: VerifyContext,
  programs: LogicPrograms,
): Generator<Signatures> {
  const batch: SignedMessage[] = [];
  for (const [index, member] of members.entries()) {
    const delegation: SignedMessage[] = [];
    const problem = context.mustBeSigned(member)
      ? (authAddressProblem(member, context) ??
        signatureProblem(member, context, { batch, delegation, program: () => programs.checkProblem(index) }))
      : undefined;
    if (problem !== undefined) throw invalid(member, index, problem);
    if (member.signed.logicSignature.logic.length === 0) continue;
    yield { batch: delegation, refusal: () => invalid(member, index, BAD_SIGNATURE) };
    const failure = programs.run(index);
    if (failure !== undefined) throw invalid(member, index, failure.message, failure.data);
  }
  yield { batch, refusal: () => new Refusal(BAD_SIGNATURE) };
}

function invalid(member: GroupMember, index: number, problem: string, data?: ErrorDetails): Refusal {
  // Differs from algod: short-dumps
  return new Refusal(`transaction {${idText(member.txId)}} invalid : ${problem}`, index, data);
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

/** Programs pay for their size, so only the arguments share an allowance. */
function checkLogicArguments(members: readonly GroupMember[], { parameters }: FormContext): void {
  const empty = members.findIndex(({ signed }) => isLogicWithoutProgram(signed.logicSignature));
  if (empty !== -1) throw new Refusal('LogicSig fields without LogicSig program', empty);
  const sizes = members.map(argumentBytes);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const pool = parameters.logicSigBytes * members.length;
  if (!sizes.some((size) => size > parameters.logicSigBytes) || total <= pool) return;
  const what = `${total} bytes of LogicSig args, more than the available size pool of ${pool} bytes`;
  throw new Refusal(`txgroup had ${what} (per-LogicSig allowance is ${parameters.logicSigBytes})`);
}

/** Before programs paid for their size, they shared an allowance with the arguments, even those without a program. */
function checkLogicPool(members: readonly GroupMember[], { parameters }: FormContext): void {
  const sizes = members.map((member) => member.signed.logicSignature.logic.length + argumentBytes(member));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const pool = parameters.logicSigBytes * members.length;
  if (total <= pool) return;
  throw new Refusal(`txgroup had ${total} bytes of LogicSigs, more than the available pool of ${pool} bytes`);
}

function argumentBytes({ signed }: GroupMember): number {
  const { args = [] } = signed.logicSignature;
  return args.reduce((sum, { length }) => sum + length, 0);
}

interface SignatureParts {
  /** The group's signatures. */
  readonly batch: SignedMessage[];
  /** The signatures that delegate the member to its program. */
  readonly delegation: SignedMessage[];
  /** The problem found in the member's program before it runs, if any. */
  readonly program: () => string | undefined;
}

/** The problem with a member's signature, if any; Ed25519 signatures are only added to their batch. */
function signatureProblem(
  member: GroupMember,
  context: FormContext,
  { batch, delegation, program }: SignatureParts,
): string | undefined {
  const { signed, transaction, message } = member;
  const { signature, multisig, logicSignature, pqSignature } = signed;
  const { parameters } = context;
  const given = {
    plain: !isAllZero(signature),
    multisig: !isBlankMultisig(multisig),
    logic: logicSignature.logic.length > 0,
    pq: !pqSignatureSchema.isZero(pqSignature),
  };
  const delegatedByPq = !pqSignatureSchema.isZero(logicSignature.pqSignature);
  if ((given.pq || delegatedByPq) && !parameters.pqSignatures) return 'pq signature not enabled';
  const count = Object.values(given).filter(Boolean).length;
  if (count === 0) return transaction.type === 'stpf' ? undefined : 'signedtxn has no sig';
  if (count > 1) return 'signedtxn should have only one type of signature';
  if (transaction.type === 'hb') addHeartbeatProof(transaction, batch);
  const authorizer = authorizerOf(signed);
  if (given.plain) batch.push({ publicKey: authorizer, message, signature });
  if (given.multisig)
    return prefixed('multisig validation failed: ', multisigProblem({ multisig, authorizer, message }, batch));
  if (given.logic) return logicSignatureProblem({ logicSignature, authorizer, parameters, program }, delegation);
  if (!given.pq) return undefined;
  return prefixed(
    'pq signature validation failed: ',
    pqSignatureProblem({ signature: pqSignature, authorizer, message }),
  );
}

function prefixed(prefix: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : prefix + problem;
}
