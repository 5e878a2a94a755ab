import { applicationOf, localsOf, mutableAccountOf } from '../machine/application/references.ts';
import type { Machine } from '../machine/machine.ts';
import { attempt } from '../machine/program-error.ts';
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

/** A key of an account's state in the program's own application, which an opcode reads; the account is below it. */
export const localAt: Place = (machine) => ({
  kind: 'local',
  use: 'read',
  ...readAt(machine, 1, () => 0n),
  applicationId: machine.application.applicationId,
  key: bytesAt(machine, 0),
});

/** The same in the application that the value between them names. */
export const localOfAnyAt: Place = (machine) => ({
  kind: 'local',
  use: 'read',
  ...readAt(machine, 2, () => machine.integer(1)),
  key: bytesAt(machine, 0),
});

/** A key of an account's state in the program's own application, which an opcode changes. */
export const changedLocalAt =
  (use: Use, depth: number): Place =>
  (machine) => ({
    kind: 'local',
    use,
    applicationId: machine.application.applicationId,
    ...accountAt(machine, depth + 1),
    key: bytesAt(machine, depth),
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
    applicationId: attempt(() => machine.integer(depth + 1)).found ?? 0n,
    key: bytesAt(machine, depth),
  });

function bytesAt(machine: Machine, depth: number): Uint8Array {
  return attempt(() => machine.bytes(depth)).found ?? NO_BYTES;
}

function namedApplication(machine: Machine): bigint {
  return attempt(() => applicationOf(machine.application, machine.integer(1), 'slots')).found ?? 0n;
}

/** The account and application of a local state to read; neither if the program may not look at it. */
function readAt(
  machine: Machine,
  depth: number,
  reference: () => bigint,
): Pick<StatePlace, 'account' | 'applicationId'> {
  const { found } = attempt(() => localsOf(machine.application, machine.value(depth), reference()));
  return found === undefined ? { applicationId: 0n } : { account: found.address, applicationId: found.applicationId };
}

function accountAt(machine: Machine, depth: number): Pick<StatePlace, 'account'> {
  const { found } = attempt(() => mutableAccountOf(machine.application, machine.value(depth)));
  return found === undefined ? {} : { account: found.address };
}
