import type { StackValue } from './stack-value.ts';

/** A part of an application's state that an instruction reads, writes or deletes. */
export interface StatePlace {
  readonly kind: 'global' | 'local' | 'box';
  readonly use: 'read' | 'write' | 'delete';
  readonly applicationId: bigint;
  /** The account whose local state it is; absent if the program may not use it. */
  readonly account?: Uint8Array;
  readonly key: Uint8Array;
}

/** The use of a part of an application's state, with the values around it; undefined: none. */
export interface StateUse extends StatePlace {
  readonly before: StackValue | undefined;
  /** Absent if the instruction failed. */
  readonly after?: { readonly value: StackValue | undefined };
}

/** The effect of one instruction. */
export interface TraceStep {
  readonly pc: number;
  /** The number of values that it took from the stack. */
  readonly popped: number;
  /** The values that it pushed, deepest first; empty if it failed. */
  readonly added: readonly StackValue[];
  /** The slot that it wrote, and the slot's new value. */
  readonly stored?: { readonly slot: number; readonly value: StackValue };
  readonly state?: StateUse;
  /** For `itxn_submit`: the place of its group among those of the run, whether it came to be or not. */
  readonly submits?: number;
}
