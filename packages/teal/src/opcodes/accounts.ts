import { ACCT_PARAMS_FIELDS, VOTER_PARAMS_FIELDS } from '../fields/application-fields.ts';
import { accountField, balance, minBalance, onlineStake, voterField } from '../operations/accounts.ts';
import type { OpcodeRow } from '../machine/opcode.ts';

/** Accounts, as applications read them. */
export const ACCOUNT_OPCODES: readonly OpcodeRow[] = [
  {
    byte: 0x60,
    name: 'balance',
    args: ['uint64'],
    returns: ['uint64'],
    since: 2,
    modes: ['application'],
    run: balance,
  },
  {
    byte: 0x78,
    name: 'min_balance',
    args: ['uint64'],
    returns: ['uint64'],
    since: 3,
    modes: ['application'],
    run: minBalance,
  },
  { byte: 0x60, name: 'balance', args: ['any'], returns: ['uint64'], since: 4, modes: ['application'], run: balance },
  {
    byte: 0x78,
    name: 'min_balance',
    args: ['any'],
    returns: ['uint64'],
    since: 4,
    modes: ['application'],
    run: minBalance,
  },
  {
    byte: 0x73,
    name: 'acct_params_get',
    immediates: [{ name: 'f', kind: 'field', group: ACCT_PARAMS_FIELDS }],
    args: ['any'],
    returns: ['any', 'bool'],
    since: 6,
    modes: ['application'],
    run: accountField,
  },
  {
    byte: 0x74,
    name: 'voter_params_get',
    immediates: [{ name: 'f', kind: 'field', group: VOTER_PARAMS_FIELDS }],
    args: ['any'],
    returns: ['any', 'bool'],
    since: 11,
    modes: ['application'],
    run: voterField,
  },
  { byte: 0x75, name: 'online_stake', returns: ['uint64'], since: 11, modes: ['application'], run: onlineStake },
];
