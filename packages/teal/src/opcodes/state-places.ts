import { accountOf, applicationOf } from '../machine/application/references.ts';
import type { Machine } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { NO_BYTES } from '../machine/stack-value.ts';
import type { StatePlace } from '../machine/trace-step.ts';

// The instruction that a place is for has not run yet: its arguments may be missing or wrong.

type Place = (machine: Machine) => StatePlace;
type Use = StatePlace['use'];

/** A key of the program's own application, at a depth of the stack. */
export const globalAt =
  (use: Use, depth: number): Place =>
  (machine) => ({
    kind: 'global',
    use,
    applicationId: machine.application.applicationId,
    key: bytesAt(machine, depth),
  });

/** A key of the application that the value below it names. */
export const globalOfAnyAt: Place = (machine) => ({
  kind: 'global',
  use: 'read',
  applicationId: namedApplication(machine),
  key: bytesAt(machine, 0),
});

/** A key of an account's state in the program's own application; the account is below the key. */
export const localAt =
  (use: Use, depth: number): Place =>
  (machine) => ({
    kind: 'local',
    use,
    applicationId: machine.application.applicationId,
    ...accountAt(machine, depth + 1),
    key: bytesAt(machine, depth),
  });

export const localOfAnyAt: Place = (machine) => ({
  kind: 'local',
  use: 'read',
  applicationId: namedApplication(machine),
  ...accountAt(machine, 2),
  key: bytesAt(machine, 0),
});

/** The name of a box of the program's own application. */
export const boxAt =
  (use: Use, depth: number): Place =>
  (machine) => ({ kind: 'box', use, applicationId: machine.application.applicationId, key: bytesAt(machine, depth) });

/** The name of a box of the application that the value below it names. */
export const boxOfAnyAt =
  (use: Use, depth: number): Place =>
  (machine) => ({
    kind: 'box',
    use,
    applicationId: attempt(() => machine.integer(depth + 1)) ?? 0n,
    key: bytesAt(machine, depth),
  });

function bytesAt(machine: Machine, depth: number): Uint8Array {
  return attempt(() => machine.bytes(depth)) ?? NO_BYTES;
}

function namedApplication(machine: Machine): bigint {
  return attempt(() => applicationOf(machine.application, machine.integer(1), 'slots')) ?? 0n;
}

function accountAt(machine: Machine, depth: number): Pick<StatePlace, 'account'> {
  const found = attempt(() => accountOf(machine.application, machine.value(depth)));
  return found === undefined ? {} : { account: found.address };
}

function attempt<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch (error) {
    if (error instanceof OpcodeFailure) return undefined;
    throw error;
  }
}
