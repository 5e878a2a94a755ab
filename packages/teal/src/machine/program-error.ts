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
