import type { ApplicationMember } from './effects.ts';
import type { Failure } from './failure.ts';

/** A program of an application, about to run for a member of a group. */
export interface ProgramCall {
  /** Index of the member in its group. */
  readonly index: number;
  readonly applicationId: bigint;
  readonly program: Uint8Array;
  readonly kind: 'approval' | 'clear-state';
}

/**
 * How a program ended. `rejected`: with 0; `failed`: with an error, of which a clear state program's is forgotten;
 * `refused`: it may not start, which fails the transaction in any case.
 */
export type ProgramOutcome =
  | { readonly status: 'passed' | 'rejected' }
  | { readonly status: 'failed' | 'refused'; readonly failure: Failure };

/** A group whose calls run programs, as the ledger uses it: one that was sent to the node, or one inside. */
export interface GroupPrograms {
  readonly members: readonly ApplicationMember[];
  /** The error of a program in the check before an application may have it: `pc=…` and the reason, or the reason. */
  check(index: number, program: Uint8Array): string | undefined;
  /** Runs the program of a call. Its effects go into the member's as it runs. */
  run(call: ProgramCall): ProgramOutcome;
  /** To be called after each member of a group that was sent to the node, so that later ones can use what it created. */
  applied(index: number): void;
  /**
   * To be called when the program of a creation or an update has passed (with 0 bytes also after a deletion): bytes
   * beyond those that are free are paid from the budget for writing boxes.
   */
  programsWritten(verb: 'creating' | 'updating', applicationId: bigint, bytes: number): Failure | undefined;
}
