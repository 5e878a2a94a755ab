import { DevnodeError, type ErrorDetails } from '../errors.ts';

/** A rule refuses a group. The message is algod's text without the words of the stages before. */
export class Refusal extends DevnodeError {
  /** Which member of the group is refused, if it is one. */
  readonly member: number | undefined;

  constructor(message: string, member?: number, data?: ErrorDetails) {
    super('refused', message, data === undefined ? {} : { data });
    this.member = member;
  }
}
