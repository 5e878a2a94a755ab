import type { StackValue } from './stack-value.ts';

/** The effect of one instruction. */
export interface TraceStep {
  readonly pc: number;
  /** The number of values that it took from the stack. */
  readonly popped: number;
  /** The values that it pushed, deepest first; empty if it failed. */
  readonly added: readonly StackValue[];
  /** The slot that it wrote, and the slot's new value. */
  readonly stored?: { readonly slot: number; readonly value: StackValue };
}
