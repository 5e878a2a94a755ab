import type { TransactionFields } from '../group-transaction.ts';

/** A transaction that a program builds field by field. */
export type InnerTransaction = { -readonly [Name in keyof TransactionFields]: TransactionFields[Name] };
