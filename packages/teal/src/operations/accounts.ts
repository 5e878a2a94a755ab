import { ACCT_PARAMS_FIELDS, VOTER_PARAMS_FIELDS } from '../fields/application-fields.ts';
import { accountOf } from '../machine/application/references.ts';
import { type Machine, truth } from '../machine/machine.ts';
import type { Operands } from '../machine/operands.ts';
import { runOf } from './application.ts';
import { ledgerField } from './ledger-field.ts';

export function balance(machine: Machine): void {
  const run = runOf(machine);
  const { address } = accountOf(run, machine.value(0));
  machine.replace(1, run.shared.ledger.account(address).balance);
}

export function minBalance(machine: Machine): void {
  const run = runOf(machine);
  const { address } = accountOf(run, machine.value(0));
  machine.replace(1, run.shared.ledger.account(address).minBalance);
}

/** The account is looked up before the field. */
export function accountField(machine: Machine, { first }: Operands): void {
  const run = runOf(machine);
  const { address } = accountOf(run, machine.value(0));
  const account = run.shared.ledger.account(address);
  const value = ledgerField(machine, 'acct_params_get', ACCT_PARAMS_FIELDS, first).read(account);
  machine.replace(1, typeof value === 'object' ? value : BigInt(value));
  machine.push(truth(account.balance > 0n));
}

export function voterField(machine: Machine, { first }: Operands): void {
  const run = runOf(machine);
  const { address } = accountOf(run, machine.value(0));
  const voter = run.shared.ledger.voter(address);
  const value = ledgerField(machine, 'voter_params_get', VOTER_PARAMS_FIELDS, first).read(voter);
  machine.replace(1, BigInt(value));
  machine.push(truth(voter.balance > 0n));
}

export function onlineStake(machine: Machine): void {
  machine.push(runOf(machine).shared.ledger.onlineStake());
}
