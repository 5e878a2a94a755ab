/**
 * The type that a value on the stack has or must have. Only its kind is checked when a program runs; opcodes check
 * lengths.
 */
export type StackType =
  | 'any'
  | 'uint64'
  | 'bool'
  | '[]byte'
  | 'address'
  | 'bigint'
  | 'stateKey'
  | 'boxName'
  | `[${number}]byte`;
