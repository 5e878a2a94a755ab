import { TYPES } from '../fields/transaction-fields.ts';

const LONG_TYPES = [
  'unknown',
  'Payment',
  'KeyRegistration',
  'AssetConfig',
  'AssetTransfer',
  'AssetFreeze',
  'ApplicationCall',
];
const COMPLETIONS = ['NoOp', 'OptIn', 'CloseOut', 'ClearState', 'UpdateApplication', 'DeleteApplication'];

/** Numbers that `int` knows by name: transaction types, and the completion actions of application calls. */
export const NAMED_INTS: ReadonlyMap<string, bigint> = new Map(
  [TYPES, LONG_TYPES, COMPLETIONS].flatMap((names) => names.map((name, number) => [name, BigInt(number)] as const)),
);
