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
 * The end of a program. `rejected`: it ended with 0. `failed`: it ended with an error, which is ignored for a clear
 * state program. `refused`: it may not start, so the transaction fails.
 */
export type ProgramOutcome =
  | { readonly status: 'passed' | 'rejected' }
  | { readonly status: 'failed' | 'refused'; readonly failure: Failure };

/** A group whose calls run programs, as the ledger uses it: one sent to the node, or an inner one. */
export interface GroupPrograms {
  readonly members: readonly ApplicationMember[];
  /** The error that the check of a program finds before an application gets it: the reason, or `pc=…` and the reason. */
  check(index: number, program: Uint8Array): string | undefined;
  /** Runs the program of a call, which adds to the member's effects as it runs. */
  run(call: ProgramCall): ProgramOutcome;
  /** Call it after each member of a group sent to the node, so that later members can use what it created. */
  applied(index: number): void;
  /**
   * Call it after the program of a creation or an update has passed, and with 0 bytes after a deletion. The budget for
   * writing boxes pays for bytes beyond the free ones.
   */
  programsWritten(verb: 'creating' | 'updating', applicationId: bigint, bytes: number): Failure | undefined;
}
