import { TRANSACTION_FIELDS } from '../fields/transaction-fields.ts';
import {
  groupTransactionField,
  groupTransactionItem,
  groupTransactionStackItem,
  stackTransactionField,
  stackTransactionItem,
  stackTransactionStackItem,
  transactionField,
  transactionItem,
  transactionStackItem,
} from '../operations/transactions.ts';
import type { OpcodeRow } from '../machine/opcode.ts';

/** Fields of the transactions of the group. */
export const TRANSACTION_OPCODES: readonly OpcodeRow[] = [
  {
    byte: 0x31,
    name: 'txn',
    immediates: [{ name: 'f', kind: 'field', group: TRANSACTION_FIELDS }],
    returns: ['any'],
    since: 1,
    run: transactionField,
  },
  {
    byte: 0x33,
    name: 'gtxn',
    immediates: [
      { name: 't', kind: 'uint8' },
      { name: 'f', kind: 'field', group: TRANSACTION_FIELDS },
    ],
    returns: ['any'],
    since: 1,
    run: groupTransactionField,
  },
  {
    byte: 0x36,
    name: 'txna',
    formOf: { mnemonic: 'txn', keepsName: true, isExplained: true },
    immediates: [
      { name: 'f', kind: 'field', group: TRANSACTION_FIELDS, takes: 'arrays' },
      { name: 'i', kind: 'uint8' },
    ],
    returns: ['any'],
    since: 2,
    run: transactionItem,
  },
  {
    byte: 0x37,
    name: 'gtxna',
    formOf: { mnemonic: 'gtxn', keepsName: true, isExplained: true },
    immediates: [
      { name: 't', kind: 'uint8' },
      { name: 'f', kind: 'field', group: TRANSACTION_FIELDS, takes: 'arrays' },
      { name: 'i', kind: 'uint8' },
    ],
    returns: ['any'],
    since: 2,
    run: groupTransactionItem,
  },
  {
    byte: 0x38,
    name: 'gtxns',
    immediates: [{ name: 'f', kind: 'field', group: TRANSACTION_FIELDS }],
    args: ['uint64'],
    returns: ['any'],
    since: 3,
    run: stackTransactionField,
  },
  {
    byte: 0x39,
    name: 'gtxnsa',
    formOf: { mnemonic: 'gtxns', keepsName: true, isExplained: true },
    immediates: [
      { name: 'f', kind: 'field', group: TRANSACTION_FIELDS, takes: 'arrays' },
      { name: 'i', kind: 'uint8' },
    ],
    args: ['uint64'],
    returns: ['any'],
    since: 3,
    run: stackTransactionItem,
  },
  {
    byte: 0xc0,
    name: 'txnas',
    immediates: [{ name: 'f', kind: 'field', group: TRANSACTION_FIELDS, takes: 'arrays' }],
    args: ['uint64'],
    returns: ['any'],
    since: 5,
    run: transactionStackItem,
  },
  {
    byte: 0xc1,
    name: 'gtxnas',
    immediates: [
      { name: 't', kind: 'uint8' },
      { name: 'f', kind: 'field', group: TRANSACTION_FIELDS, takes: 'arrays' },
    ],
    args: ['uint64'],
    returns: ['any'],
    since: 5,
    run: groupTransactionStackItem,
  },
  {
    byte: 0xc2,
    name: 'gtxnsas',
    immediates: [{ name: 'f', kind: 'field', group: TRANSACTION_FIELDS, takes: 'arrays' }],
    args: ['uint64', 'uint64'],
    returns: ['any'],
    since: 5,
    run: stackTransactionStackItem,
  },
];
