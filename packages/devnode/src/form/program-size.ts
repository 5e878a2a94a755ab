import type { Transaction } from '../codec/schema/transaction.ts';
import type { ApplicationLimits } from '../consensus/parameters.ts';

/** algod's reason why the programs of a call do not fit the pages of an application, if they do not. */
export function programsTooLong(
  { approvalProgram, clearStateProgram }: Transaction,
  extraPages: number,
  { programPageBytes }: ApplicationLimits,
): string | undefined {
  const [approval, clearState] = [approvalProgram.length, clearStateProgram.length];
  const limit = (1 + extraPages) * programPageBytes;
  if (approval > limit) return `approval program too long. (${approval} > ${limit})`;
  if (clearState > limit) return `clear state program too long. (${clearState} > ${limit})`;
  return approval + clearState > limit ? `app programs too long. (${approval} + ${clearState} > ${limit})` : undefined;
}
