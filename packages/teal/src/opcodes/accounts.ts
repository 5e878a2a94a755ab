import { ACCT_PARAMS_FIELDS, VOTER_PARAMS_FIELDS } from '../fields/application-fields.ts';
import { accountOf } from '../machine/application/references.ts';
import { type Machine, truth } from '../machine/machine.ts';
import { oneOf, onlyIn, type OpcodeRow, type Operands } from '../machine/opcode.ts';
import { ledgerField } from './ledger-field.ts';

/** Accounts, as applications read them. */
export const ACCOUNT_OPCODES: readonly OpcodeRow[] = onlyIn('application', [
  { byte: 0x60, name: 'balance', stack: 'i:i', since: 2, later: { since: 4, stack: 'a:i' }, run: amountOf('balance') },
  {
    byte: 0x78,
    name: 'min_balance',
    stack: 'i:i',
    since: 3,
    later: { since: 4, stack: 'a:i' },
    run: amountOf('minBalance'),
  },
  {
    byte: 0x73,
    name: 'acct_params_get',
    immediates: [oneOf('f', ACCT_PARAMS_FIELDS)],
    stack: 'a:aT',
    since: 6,
    run: accountField,
  },
  {
    byte: 0x74,
    name: 'voter_params_get',
    immediates: [oneOf('f', VOTER_PARAMS_FIELDS)],
    stack: 'a:aT',
    since: 11,
    run: voterField,
  },
  { byte: 0x75, name: 'online_stake', stack: ':i', since: 11, run: onlineStake },
]);

function amountOf(name: 'balance' | 'minBalance'): (machine: Machine) => void {
  return (machine) => {
    const run = machine.application;
    const { address } = accountOf(run, machine.value(0));
    machine.replace(1, run.shared.ledger.account(address)[name]);
  };
}

/** The account is looked up before the field. */
function accountField(machine: Machine, { first }: Operands): void {
  const run = machine.application;
  const { address } = accountOf(run, machine.value(0));
  const account = run.shared.ledger.account(address);
  const value = ledgerField(machine, 'acct_params_get', ACCT_PARAMS_FIELDS, first).read(account);
  machine.replace(1, typeof value === 'object' ? value : BigInt(value));
  machine.push(truth(account.balance > 0n));
}

function voterField(machine: Machine, { first }: Operands): void {
  const run = machine.application;
  const { address } = accountOf(run, machine.value(0));
  const voter = run.shared.ledger.voter(address);
  const value = ledgerField(machine, 'voter_params_get', VOTER_PARAMS_FIELDS, first).read(voter);
  machine.replace(1, BigInt(value));
  machine.push(truth(voter.balance > 0n));
}

function onlineStake(machine: Machine): void {
  machine.push(machine.application.shared.ledger.onlineStake());
}
