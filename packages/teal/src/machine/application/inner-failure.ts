import { OpcodeFailure } from '../program-error.ts';
import type { Failure } from './failure.ts';

/** Thrown by `itxn_submit` when a member of the inner group fails. */
export class InnerFailure extends OpcodeFailure {
  readonly failure: Failure;

  constructor(index: number, failure: Failure) {
    super(`inner tx ${index} failed: ${failure.message}`);
    this.failure = failure;
  }
}
