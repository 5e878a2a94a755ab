import { DevnodeError } from '../errors.ts';
import { costOfApproval } from './constant-program.ts';
import type { GroupMember } from '../transaction/member.ts';

/**
 * Where algod runs the program of a logic signature: here only a program that approves whatever it is asked is judged.
 * @throws DevnodeError `unsupported` for every other
 */
export function runLogicSignature({ signed }: GroupMember): void {
  if (costOfApproval(signed.logicSignature.logic) !== undefined) return;
  // Differs from algod: no-programs
  throw new DevnodeError(
    'unsupported',
    'this development node does not run programs, so it can not judge a logic signature; use algod for this group',
  );
}
