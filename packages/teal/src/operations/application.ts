import type { ProgramRun } from '../machine/application/group.ts';
import type { Machine } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';

/** The run of the application's program. Opcodes that need it exist only in application mode. */
export function runOf({ context: { application } }: Machine): ProgramRun {
  if (application === undefined) throw new OpcodeFailure('not allowed in current mode');
  return application;
}
