import type { Context } from './context.ts';
import { ProgramError } from './program-error.ts';
import type { Program } from './program.ts';
import { SHARED_SINCE } from './limits.ts';
import { isZero } from './stack-value.ts';

/** The last version whose programs must fit the budget as a whole, whichever parts run. */
const STATIC_COST_UNTIL = 3;
/** The first version allowed in groups that rekey an account or call an application. */
const REKEYING_SINCE = 2;
export const NO_ACCESS = 'pre-sharedResources program cannot be invoked with tx.Access';

/**
 * Checks a whole program before it runs.
 * @throws ProgramError
 */
export function checkProgram(program: Program, context: Context): void {
  const { version, problem } = program;
  if (problem !== undefined && problem.pc === undefined) throw new ProgramError('check', undefined, problem.message);
  const latest = Number(context.environment.parameters.programVersion);
  if (version > latest) {
    const limit = context.mode === 'signature' ? 'max' : 'protocol';
    throw new ProgramError(
      'check',
      undefined,
      `program version ${version} greater than ${limit} supported version ${latest}`,
    );
  }
  if (version < SHARED_SINCE && context.mode === 'application' && hasAccess(context)) {
    throw new ProgramError('check', undefined, NO_ACCESS);
  }
  const least = leastVersion(context);
  if (version < least) {
    const what = `program version must be >= ${least} for this transaction group`;
    throw new ProgramError('check', undefined, `${what}, but have version ${version}`);
  }
  if (version <= STATIC_COST_UNTIL) checkStaticCost(program, context.budget.remaining);
  if (problem !== undefined) throw new ProgramError('check', problem.pc, problem.message);
}

/** Whether the program's transaction has an access list. */
export function hasAccess({ group, index }: Context): boolean {
  return (group[index]?.transaction.access?.length ?? 0) > 0;
}

function leastVersion({ group }: Context): number {
  const isNew = group.some(({ transaction: { type, rekeyTo } }) => type === 'appl' || !isZero(rekeyTo));
  return isNew ? REKEYING_SINCE : 0;
}

function checkStaticCost({ instructions }: Program, budget: number): void {
  let total = 0;
  for (const { cost, end } of instructions) {
    total += cost;
    if (total > budget) throw new ProgramError('check', end, `static cost budget of ${budget} exceeded`);
  }
}
