/** Where a program failed: in the check of all of it before it starts, or as it ran. */
export type ProgramPhase = 'check' | 'run';

/** Why a program does not pass, in algod's words. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
  readonly phase: ProgramPhase;
  /** The place in the program of the instruction at fault; absent when the program as a whole is. */
  readonly pc: number | undefined;

  constructor(phase: ProgramPhase, pc: number | undefined, message: string) {
    super(message);
    this.phase = phase;
    this.pc = pc;
  }
}

/** Thrown by an opcode; the machine knows the place. */
export class OpcodeFailure extends Error {}
