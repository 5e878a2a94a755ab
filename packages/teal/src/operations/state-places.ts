import { accountOf, applicationOf, localsOf } from '../machine/application/references.ts';
import type { Machine } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import type { StatePlace } from '../machine/trace-step.ts';
import { runOf } from './application.ts';

type Place = (machine: Machine) => StatePlace | undefined;
type Use = StatePlace['use'];

/** A key of the program's own application, at a depth of the stack. */
export const globalAt = (use: Use, depth: number): Place =>
  tolerant((machine) => ({
    kind: 'global',
    use,
    applicationId: runOf(machine).applicationId,
    key: machine.bytes(depth),
  }));

/** A key of the application that the value below it names. */
export const globalOfAnyAt: Place = tolerant((machine) => ({
  kind: 'global',
  use: 'read',
  applicationId: applicationOf(runOf(machine), machine.integer(1), 'slots'),
  key: machine.bytes(0),
}));

/** A key of an account's state in the program's own application; the account is below the key. */
export const localAt = (use: Use, depth: number): Place =>
  tolerant((machine) => {
    const run = runOf(machine);
    const { address } = accountOf(run, machine.value(depth + 1));
    return { kind: 'local', use, applicationId: run.applicationId, account: address, key: machine.bytes(depth) };
  });

export const localOfAnyAt: Place = tolerant((machine) => {
  const { address, applicationId } = localsOf(runOf(machine), machine.value(2), machine.integer(1));
  return { kind: 'local', use: 'read', applicationId, account: address, key: machine.bytes(0) };
});

/** The name of a box of the program's own application. */
export const boxAt = (use: Use, depth: number): Place =>
  tolerant((machine) => ({ kind: 'box', use, applicationId: runOf(machine).applicationId, key: machine.bytes(depth) }));

/** The name of a box of the application that the value below it names. */
export const boxOfAnyAt = (use: Use, depth: number): Place =>
  tolerant((machine) => ({
    kind: 'box',
    use,
    applicationId: machine.integer(depth + 1),
    key: machine.bytes(depth),
  }));

/** The arguments may be missing or wrong: the instruction that they are for has not run yet. */
function tolerant(place: (machine: Machine) => StatePlace): Place {
  return (machine) => {
    try {
      return place(machine);
    } catch (error) {
      if (error instanceof OpcodeFailure) return undefined;
      throw error;
    }
  };
}
