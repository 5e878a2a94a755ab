/** What a value on the stack must be, or is. Only its kind is checked when a program runs; lengths are the opcode's matter. */
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
