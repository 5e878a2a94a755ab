import { APP_PARAMS_FIELDS } from '../fields/application-fields.ts';
import type { BoxAccess } from '../machine/application/ledger.ts';
import { applicationOf } from '../machine/application/references.ts';
import type { Machine } from '../machine/machine.ts';
import type { Operands } from '../machine/operands.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { runOf } from './application.ts';
import { ledgerField, putField } from './ledger-field.ts';

/** The permissions that an application can set, by field. */
const SETTABLE: Readonly<Record<string, keyof BoxAccess>> = {
  AppForeignBoxReads: 'foreignBoxReads',
  AppFamilyBoxAccess: 'familyBoxAccess',
};

export function applicationField(machine: Machine, { first }: Operands): void {
  const run = runOf(machine);
  const { read } = ledgerField(machine, 'app_params_get', APP_PARAMS_FIELDS, first);
  const id = applicationOf(run, machine.integer(0), 'slots');
  const application = run.shared.ledger.application(id);
  putField(machine, 1, application && read(application, id));
}

/** The value leaves the stack before anything can fail. */
export function setApplicationField(machine: Machine, { first }: Operands): void {
  const { applicationId, shared } = runOf(machine);
  const isSet = machine.integer(0) !== 0n;
  machine.drop(1);
  const name = SETTABLE[APP_PARAMS_FIELDS.fieldOf(first)?.name ?? ''];
  const present = shared.ledger.application(applicationId);
  if (name === undefined || present === undefined) throw new OpcodeFailure(`invalid app_params_set field ${first}`);
  const { foreignBoxReads, familyBoxAccess } = present;
  shared.ledger.setBoxAccess(applicationId, { foreignBoxReads, familyBoxAccess, [name]: isSet });
}
