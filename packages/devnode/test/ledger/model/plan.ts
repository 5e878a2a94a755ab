// Programs whose effects the model knows: lists of steps, each one opcode with its operands or one inner group.
import { assemble } from '@avm402/teal/assemble';

/** A value that a step takes, as a program gets it. Applications, assets and addresses stand there as constants. */
export type Operand =
  | { readonly int: bigint }
  | { readonly bytes: Uint8Array }
  | { readonly address: Uint8Array }
  | { readonly application: bigint }
  | { readonly asset: bigint }
  | { readonly box: Uint8Array }
  /** An account by its place in the call. */
  | { readonly place: number }
  | { readonly listed: 'Accounts' | 'Applications' | 'Assets'; readonly index: number }
  | { readonly own: 'CurrentApplicationAddress' | 'CurrentApplicationID' }
  | { readonly created: 'CreatedApplicationID' | 'CreatedAssetID' }
  | { readonly program: Plan };

/** The opcodes of steps, with what brings the stack back to its height; numbers that are read are logged. */
const OPCODES = {
  app_global_put: [],
  app_global_del: [],
  app_global_get_ex: ['swap', 'pop', 'itob', 'log'],
  app_local_put: [],
  app_local_del: [],
  app_local_get_ex: ['swap', 'pop', 'itob', 'log'],
  app_opted_in: ['itob', 'log'],
  balance: ['itob', 'log'],
  min_balance: ['itob', 'log'],
  'asset_holding_get AssetBalance': ['pop', 'itob', 'log'],
  box_create: ['itob', 'log'],
  box_del: ['itob', 'log'],
  box_len: ['pop', 'itob', 'log'],
  box_put: [],
  box_resize: [],
  log: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type StepOpcode = keyof typeof OPCODES;

/** A field that a program sets in an inner transaction. */
export interface InnerField {
  readonly field: string;
  readonly value: Operand;
}

export type Step =
  | { readonly opcode: StepOpcode; readonly operands: readonly Operand[] }
  | { readonly submit: readonly (readonly InnerField[])[] };

/** What a call with the method's number as first argument does. */
export interface Method {
  readonly steps: readonly Step[];
  readonly end: 'approve' | 'reject' | 'fail';
}

export interface Plan {
  readonly version: number;
  readonly methods: readonly Method[];
  readonly program: Uint8Array;
}

/** A plan with its program. A call without arguments runs the first method. */
export function planOf(version: number, methods: readonly Method[]): Plan {
  const source = [
    `#pragma version ${version}`,
    'txn NumAppArgs',
    'bz method0',
    'txna ApplicationArgs 0',
    'btoi',
    `switch ${methods.map((_, index) => `method${index}`).join(' ')}`,
    'err',
    ...methods.flatMap((method, index) => [`method${index}:`, ...method.steps.flatMap(linesOf), ...endOf(method)]),
  ];
  return { version, methods, program: assemble(source.join('\n')).program };
}

function endOf({ end }: Method): readonly string[] {
  if (end === 'fail') return ['err'];
  return [`pushint ${end === 'approve' ? 1 : 0}`, 'return'];
}

function linesOf(step: Step): readonly string[] {
  if ('opcode' in step) return [...step.operands.map(lineOf), step.opcode, ...OPCODES[step.opcode]];
  const transactions = step.submit.map((fields) =>
    fields.flatMap(({ field, value }) => [lineOf(value), `itxn_field ${field}`]),
  );
  return transactions
    .flatMap((lines, index) => [index === 0 ? 'itxn_begin' : 'itxn_next', ...lines])
    .concat('itxn_submit');
}

function lineOf(operand: Operand): string {
  if ('int' in operand) return `pushint ${operand.int}`;
  if ('place' in operand) return `pushint ${operand.place}`;
  if ('application' in operand) return `pushint ${operand.application}`;
  if ('asset' in operand) return `pushint ${operand.asset}`;
  if ('listed' in operand) return `txna ${operand.listed} ${operand.index}`;
  if ('own' in operand) return `global ${operand.own}`;
  if ('created' in operand) return `itxn ${operand.created}`;
  return `pushbytes 0x${Buffer.from(constantOf(operand)).toString('hex')}`;
}

type BytesOperand = Extract<
  Operand,
  { bytes: unknown } | { address: unknown } | { box: unknown } | { program: unknown }
>;

export function constantOf(operand: BytesOperand): Uint8Array {
  if ('bytes' in operand) return operand.bytes;
  if ('address' in operand) return operand.address;
  return 'box' in operand ? operand.box : operand.program.program;
}
