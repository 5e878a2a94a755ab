import { TRANSACTION_FIELDS } from '../fields/transaction-fields.ts';
import { beginInner, nextInner, setInnerField, submitInner } from '../operations/inner-transactions.ts';
import {
  groupInnerField,
  groupInnerItem,
  groupInnerStackItem,
  innerField,
  innerItem,
  innerStackItem,
} from '../operations/transactions.ts';
import type { OpcodeRow } from '../machine/opcode.ts';

/** Transactions that an application sends. */
export const INNER_TRANSACTION_OPCODES: readonly OpcodeRow[] = [
  { byte: 0xb1, name: 'itxn_begin', since: 5, modes: ['application'], run: beginInner },
  {
    byte: 0xb2,
    name: 'itxn_field',
    immediates: [{ name: 'f', kind: 'field', group: TRANSACTION_FIELDS, takes: 'both', sets: 'allowed' }],
    args: ['any'],
    since: 5,
    modes: ['application'],
    run: setInnerField,
  },
  { byte: 0xb3, name: 'itxn_submit', since: 5, modes: ['application'], run: submitInner, submits: true },
  {
    byte: 0xb4,
    name: 'itxn',
    immediates: [{ name: 'f', kind: 'field', group: TRANSACTION_FIELDS }],
    returns: ['any'],
    since: 5,
    modes: ['application'],
    run: innerField,
  },
  {
    byte: 0xb5,
    name: 'itxna',
    formOf: { mnemonic: 'itxn' },
    immediates: [
      { name: 'f', kind: 'field', group: TRANSACTION_FIELDS, takes: 'arrays' },
      { name: 'i', kind: 'uint8' },
    ],
    returns: ['any'],
    since: 5,
    modes: ['application'],
    run: innerItem,
  },
  { byte: 0xb6, name: 'itxn_next', since: 6, modes: ['application'], run: nextInner },
  {
    byte: 0xb7,
    name: 'gitxn',
    immediates: [
      { name: 't', kind: 'uint8' },
      { name: 'f', kind: 'field', group: TRANSACTION_FIELDS, takes: 'both' },
    ],
    returns: ['any'],
    since: 6,
    modes: ['application'],
    run: groupInnerField,
  },
  {
    byte: 0xb8,
    name: 'gitxna',
    formOf: { mnemonic: 'gitxn' },
    immediates: [
      { name: 't', kind: 'uint8' },
      { name: 'f', kind: 'field', group: TRANSACTION_FIELDS, takes: 'arrays' },
      { name: 'i', kind: 'uint8' },
    ],
    returns: ['any'],
    since: 6,
    modes: ['application'],
    run: groupInnerItem,
  },
  {
    byte: 0xc5,
    name: 'itxnas',
    immediates: [{ name: 'f', kind: 'field', group: TRANSACTION_FIELDS, takes: 'arrays' }],
    args: ['uint64'],
    returns: ['any'],
    since: 6,
    modes: ['application'],
    run: innerStackItem,
  },
  {
    byte: 0xc6,
    name: 'gitxnas',
    immediates: [
      { name: 't', kind: 'uint8' },
      { name: 'f', kind: 'field', group: TRANSACTION_FIELDS, takes: 'arrays' },
    ],
    args: ['uint64'],
    returns: ['any'],
    since: 6,
    modes: ['application'],
    run: groupInnerStackItem,
  },
];
