/** When a program failed: in the check before it starts, or while it ran. */
export type ProgramPhase = 'check' | 'run';

/** The reason why a program does not pass, in algod's words. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
  readonly phase: ProgramPhase;
  /** Position of the instruction at fault; absent if the program as a whole is at fault. */
  readonly pc: number | undefined;

  constructor(phase: ProgramPhase, pc: number | undefined, message: string, cause?: OpcodeFailure) {
    super(message, { cause });
    this.phase = phase;
    this.pc = pc;
  }
}

/** Thrown by an opcode; the machine adds the position. */
export class OpcodeFailure extends Error {}

/** What a step gave, or why it failed. */
export interface Attempt<T> {
  readonly found: T | undefined;
  /** Why nothing was found: one message at most. */
  readonly problems: readonly string[];
}

/** Takes a step that may fail as an opcode does. */
export function attempt<T>(step: () => T): Attempt<T> {
  try {
    return { found: step(), problems: [] };
  } catch (error) {
    if (error instanceof OpcodeFailure) return { found: undefined, problems: [error.message] };
    throw error;
  }
}
