import type { Failure } from '@avm402/teal/application';
import { DevnodeError, type ErrorDetails } from '../errors.ts';

/** The refusal of a group by a rule. The message is algod's text without the prefixes that other stages add. */
export class Refusal extends DevnodeError {
  /** The member of the group that is refused, if it is a single one. */
  readonly member: number | undefined;

  constructor(message: string, member?: number, data?: ErrorDetails) {
    super('refused', message, data === undefined ? {} : { data });
    this.member = member;
  }

  /** The refusal that follows from the failure of a program. */
  static of({ message, data }: Failure): Refusal {
    return new Refusal(message, undefined, data as ErrorDetails | undefined);
  }
}
