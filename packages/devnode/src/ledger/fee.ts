import {
  pqSignature as pqSignatureSchema,
  type SignedTransaction,
  isKnownPqScheme,
} from '../codec/schema/signed-transaction.ts';
import type { Transaction } from '../codec/schema/transaction.ts';
import type { ConsensusParameters } from '../consensus/parameters.ts';
import { moneyText } from '@avm402/teal/go';

/** Usage is counted in millionths of an ordinary transaction. */
const ONE = 1_000_000n;
const PER_BYTE = 100n;
const PQ_SIGNATURE = 2n * ONE;
const FREE_ARGUMENT_BYTES = 2048;
const FREE_PROGRAM_BYTES = 8192;

/** A group's usage, in millionths of an ordinary transaction. */
export function groupUsage(group: readonly SignedTransaction[], parameters: ConsensusParameters): bigint {
  const own = group.reduce((sum, signed) => sum + usageOf(signed, group.length, parameters), 0n);
  const logicBytes = group.reduce((sum, { logicSignature }) => sum + logicSignature.logic.length, 0);
  return own + excess(logicBytes, parameters.logicSigBytes * group.length);
}

function usageOf(signed: SignedTransaction, groupSize: number, parameters: ConsensusParameters): bigint {
  const { transaction } = signed;
  if (transaction.type === 'stpf') return 0n;
  const discounted = parameters.sizePricing ? transaction.heartbeat?.challenge === true : groupSize === 1;
  const discount = transaction.type === 'hb' && discounted ? ONE : 0n;
  return transactionUsage(transaction, parameters) - discount + pqUsage(signed);
}

/** The usage of a transaction by itself, without its signature. */
export function transactionUsage(transaction: Transaction, parameters: ConsensusParameters): bigint {
  const { note, applicationArgs = [], approvalProgram, clearStateProgram } = transaction;
  const argumentBytes = applicationArgs.reduce((sum, { length }) => sum + length, 0);
  return (
    ONE +
    excess(note.length, parameters.freeNoteBytes) +
    excess(argumentBytes, FREE_ARGUMENT_BYTES) +
    excess(approvalProgram.length + clearStateProgram.length, FREE_PROGRAM_BYTES)
  );
}

function pqUsage({ pqSignature, logicSignature }: SignedTransaction): bigint {
  const signature = pqSignatureSchema.isZero(pqSignature) ? logicSignature.pqSignature : pqSignature;
  return isKnownPqScheme(signature) ? PQ_SIGNATURE : 0n;
}

function excess(bytes: number, free: number): bigint {
  return bytes > free ? BigInt(bytes - free) * PER_BYTE : 0n;
}

/** The fee that a group with this usage must pay, in µAlgo. */
function requiredFee(usage: bigint, { minTransactionFee }: ConsensusParameters): bigint {
  return (usage * minTransactionFee + ONE - 1n) / ONE;
}

/** The µAlgo that a group pays beyond its need, and the 10⁻¹² parts of one by which its need was rounded up. */
export function surplusOf(
  group: readonly SignedTransaction[],
  parameters: ConsensusParameters,
): { readonly credit: bigint; readonly residue: bigint } {
  const usage = groupUsage(group, parameters);
  const surplus = feesOf(group) - requiredFee(usage, parameters);
  const missing = -(usage * parameters.minTransactionFee) % ONE;
  return { credit: surplus > 0n ? surplus : 0n, residue: missing === 0n ? 0n : (missing + ONE) * ONE };
}

function feesOf(group: readonly SignedTransaction[]): bigint {
  return group.reduce((sum, { transaction }) => sum + transaction.fee, 0n);
}

/** The problem with a group's fees, if any. Members may pay for one another, but together they must pay enough. */
export function groupFeeProblem(
  group: readonly SignedTransaction[],
  parameters: ConsensusParameters,
): string | undefined {
  const paid = feesOf(group);
  const usage = groupUsage(group, parameters);
  const needed = requiredFee(usage, parameters);
  if (paid >= needed) return undefined;
  const usageText = `${usage / ONE}.${String(usage % ONE).padStart(6, '0')}`;
  const base = moneyText(parameters.minTransactionFee);
  return `txgroup with ${moneyText(paid)} fees is less than ${moneyText(needed)} (usage=${usageText} * base=${base})`;
}
